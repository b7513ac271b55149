/* The common parts of the gateway's files: commands, the request of a call, the objects that the library
 * gave the call, and its failure.
 *
 * All names begin with mex_, since a host may have functions of shorter names, which would be
 * taken for those of the gateway. */
#ifndef FINCH_MEX_H
#define FINCH_MEX_H

#include <stdbool.h>

#include <finch.h>
#include <mex.h>

/* The commands that take options, for saying which take which. */
enum mex_options {
    MEX_CLUSTER = 1,
    MEX_SUGGEST = 2,
    MEX_DENDROGRAM = 4,
    MEX_TREE = 8,
    MEX_NEIGHBORS = 16,
    MEX_MODEL = 32,
    MEX_PREDICT = 64,
    MEX_EXTEND = 128,
    MEX_DESCRIBE = 256,
    MEX_OUTLIERS = 512,
    MEX_NOISE = 2048,
    MEX_MEMBERSHIP = 4096,
    MEX_GIVEN = 1024, /* neighbours or distances that the caller brings */
};

/* A call of finch_mex, without the name of its command. */
struct mex_call {
    mxArray **outputs;
    int count; /* of inputs */
    const mxArray **inputs;
};

/* The arguments of a call, once they have been checked. */
struct mex_request {
    finch_matrix samples;
    bool without_samples;
    finch_options options;
    /* Given first neighbours, from 0, and how many; NULL to search them. Or for a description, the
     * neighbours of each sample, row by row, and how many each has. */
    int32_t *neighbors;
    size_t neighbor_count;
    /* The weights of the samples; NULL without. */
    const double *weights;
    size_t weight_count;
    /* The time stamps of the samples; NULL without. And whether clusters are segments of time. */
    const double *times;
    size_t time_count;
    bool contiguous;
    /* The exact number of clusters that is asked for, or -1. */
    ptrdiff_t clusters;
    /* The rules that these clusters keep, and whether there are some. */
    finch_constraints rules;
    bool ruled;
    /* The numbers of clusters where a dendrogram is cut. */
    const double *cuts;
    size_t cut_count;
    /* True for the tree of a dendrogram, a `finch_tree_format`, and names of leaves, or NULL. */
    bool of_dendrogram;
    int32_t format;
    const char **names;
    size_t name_count;
    /* True if a model keeps its samples, and its refined labellings, N labels each. */
    bool keep_samples;
    const int32_t *refined;
    size_t refined_count;
    /* The labelling that predicts, from 0. */
    size_t labelling;
    size_t exemplars;
    bool verbose;
};

/* A name, and the number that it stands for. */
struct mex_choice {
    const char *name;
    int32_t value;
};

/* The searches and the linkages, by the names that options and results have. Each ends with a NULL. */
extern const struct mex_choice MEX_SEARCHES[], MEX_LINKAGES[];

/* Objects of the library for the call that runs, or for one that did not get to free them. */
struct mex_held {
    finch_hierarchy *hierarchy;
    finch_dendrogram *dendrogram;
    finch_tree *tree;
    finch_model *model;
    finch_model *extended;
    finch_description *description;
    finch_membership *membership;
};
extern struct mex_held mex_held;

/* Frees what is held. */
void mex_release(void);

/* Fails. It does not return, though no compiler knows. */
void mex_stop(const char *id, const char *format, ...);

/* The identifier of a status: finch:nonFinite for FINCH_NON_FINITE, and so on. Valid until the next
 * call. */
const char *mex_id(finch_status status);

/* Warns, as finch:lowRecall and the like, of each kind of warning that a hierarchy has; NULL has none. */
void mex_warn(const finch_hierarchy *of);

/* Warns of what the last call, which made no hierarchy, says against its result. */
void mex_warn_of_call(void);

/* Fails as the library did, but with everything numbered from 1; returns if all went well. */
void mex_check(finch_status status, const struct mex_request *request);

/* Checks the data of a call, and the options from input `first` on. */
struct mex_request mex_read(enum mex_options command, const mxArray *data,
                            const struct mex_call *call, int first);

/* The rows of a sparse matrix of double, as FINCH_CSR. */
finch_matrix mex_read_sparse(const mxArray *data);

/* Rows of FINCH_CSR and FINCH_F64 as a sparse matrix of the host. */
mxArray *mex_sparse(const finch_matrix *rows);

/* The row and the column of a value of such rows, all from 0. */
void mex_sparse_place(const finch_matrix *samples, size_t at, size_t *row, size_t *column);

/* Checks given first neighbours. */
void mex_read_neighbors(struct mex_request *request, const mxArray *given);

/* Checks weights, but for their number. */
void mex_read_weights(struct mex_request *request, const mxArray *given);

/* Checks time stamps, but for their number. */
void mex_read_times(struct mex_request *request, const mxArray *given);

/* Checks pairs of samples, M x 2 from 1: M times two numbers from 0. */
int32_t *mex_pairs(const char *what, const mxArray *given, const struct mex_request *request,
                   size_t *count);

/* Checks numbers that number something: a full vector or matrix of real double, whole. */
int32_t *mex_integers(const char *what, const mxArray *array, size_t *count);

/* The neighbours of each sample, row by row, from 0: of a matrix of numbers from 1, where 0 is none,
 * which becomes -1. */
int32_t *mex_neighbor_rows(const mxArray *index);

/* Checks a whole number. */
double mex_whole_number(const char *what, const mxArray *value, double least, double most);

/* A text in UTF-8. */
char *mex_text(const char *what, const mxArray *text);

/* Writes the label of each sample for the clusters that a request asks for, from 0. Returns the linkage that
 * made them. */
int32_t mex_refine(const struct mex_request *request, int32_t *labels, size_t samples);

/* Makes the hierarchy of a request. */
void mex_cluster(const struct mex_request *request);

/* A matrix of numbers from 1, where the library has a row-major matrix of numbers from 0. */
mxArray *mex_numbers(const int32_t *from, size_t rows, size_t columns);

/* Labels from 1, N x 1, where the library has labels from 0; -1 is noise in both. */
mxArray *mex_labels(const int32_t *from, size_t samples);

/* A matrix of what the library has in a row-major matrix. */
mxArray *mex_doubles(const double *from, size_t rows, size_t columns);

/* The parts of c, num_clust and req_c in what a call returns. Returns the linkage of req_c as text, '' without
 * one. */
mxArray *mex_put_partitions(const struct mex_call *call, const struct mex_request *request);

/* The commands: finch_mex.c has one line on each. */
void mex_suggest(const struct mex_call *call);
void mex_dendrogram(const struct mex_call *call);
void mex_tree(const struct mex_call *call);
void mex_nearest_neighbors(const struct mex_call *call);
void mex_score(const struct mex_call *call);
void mex_keep_labels(const struct mex_call *call);
void mex_describe(const struct mex_call *call);
void mex_outliers(const struct mex_call *call);
void mex_noise(const struct mex_call *call);
void mex_membership(const struct mex_call *call);
void mex_given_neighbors(const struct mex_call *call);
void mex_given_distances(const struct mex_call *call);
void mex_model(const struct mex_call *call);
void mex_load(const struct mex_call *call);
void mex_save(const struct mex_call *call);
void mex_predict(const struct mex_call *call);
void mex_extend(const struct mex_call *call);

#endif
