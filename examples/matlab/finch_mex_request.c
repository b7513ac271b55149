/* Checks the arguments of a call of the gateway: the data, given first neighbours, and options by
 * their names. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "finch_mex.h"

/* Whether Ctrl-C was pressed. */
#if defined(HAVE_OCTAVE) /* from its mex.h */
#include <quit.h>
/* Only looks: Octave's own OCTAVE_QUIT would throw through the frames of the library. The run then
 * ends with the error finch:cancelled, at which Octave clears the interrupt. */
static bool interrupted(void) {
    return octave_interrupt_state > 0;
}
#elif defined(FINCH_LIBUT)
/* Not documented by MathWorks, so make.m says whether the function is there. */
extern bool utIsInterruptPending(void);
static bool interrupted(void) {
    return utIsInterruptPending();
}
#else
static bool interrupted(void) {
    return false;
}
#endif

enum {
    METRIC, REQ_CLUST, LINKAGE, FROM, LINK_BOUND, NEIGHBORS, RECALL, TIME_LIMIT, SEED, THREADS, VERBOSE
};

/* Each list of names ends with a NULL. */
static const struct mex_choice OPTIONS[] = {
    {"Metric", METRIC},         {"ReqClust", REQ_CLUST},  {"Linkage", LINKAGE},
    {"From", FROM},             {"LinkBound", LINK_BOUND}, {"Neighbors", NEIGHBORS},
    {"Recall", RECALL},         {"TimeLimit", TIME_LIMIT}, {"Seed", SEED},         {"Threads", THREADS},
    {"Verbose", VERBOSE},       {NULL, 0},
};
static const struct mex_choice METRICS[] = {
    {"euclidean", FINCH_EUCLIDEAN},
    {"cosine", FINCH_COSINE},
    {"cityblock", FINCH_MANHATTAN},
    {"manhattan", FINCH_MANHATTAN},
    {NULL, 0},
};
static const struct mex_choice LINKAGES[] = {
    {"neighbor", FINCH_LINKAGE_NEIGHBOR},
    {"centroid", FINCH_LINKAGE_CENTROID},
    {"ward", FINCH_LINKAGE_WARD},
    {NULL, 0},
};
static const struct mex_choice LINK_BOUNDS[] = {
    {"none", FINCH_LINK_BOUND_NONE},
    {"first-neighbor", FINCH_LINK_BOUND_FIRST_NEIGHBOR},
    {NULL, 0},
};
const struct mex_choice MEX_SEARCHES[] = {
    {"auto", FINCH_SEARCH_AUTO},
    {"brute", FINCH_SEARCH_BRUTE},
    {"kd-tree", FINCH_SEARCH_KD_TREE},
    {"blocked", FINCH_SEARCH_BLOCKED},
    {"projected", FINCH_SEARCH_PROJECTED},
    {"approximate", FINCH_SEARCH_APPROXIMATE},
    {NULL, 0},
};

static bool same_but_for_case(const char *a, const char *b) {
    while (*a != '\0' && tolower((unsigned char)*a) == tolower((unsigned char)*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

/* The value that a text stands for; `id` is the error if it is none of the choices. */
static int32_t choose(const char *id, const char *what, const mxArray *text,
                      const struct mex_choice *choices) {
    const char *name = mxIsChar(text) ? mxArrayToString(text) : NULL;
    char known[256] = "";
    for (const struct mex_choice *choice = choices; choice->name != NULL; choice++) {
        size_t length = strlen(known);
        if (name != NULL && same_but_for_case(name, choice->name)) {
            return choice->value;
        }
        snprintf(known + length, sizeof known - length, length > 0 ? ", %s" : "%s", choice->name);
    }
    if (name == NULL) {
        mex_stop(id, "the %s is no text: it is one of %s", what, known);
    }
    mex_stop(id, "there is no %s '%s': it is one of %s", what, name, known);
    return 0;
}

static double whole_number(const char *what, const mxArray *value, double least, double most) {
    bool number = (mxIsNumeric(value) || mxIsLogical(value)) && !mxIsComplex(value) &&
                  !mxIsSparse(value) && mxGetNumberOfElements(value) == 1;
    double found = number ? mxGetScalar(value) : least - 1;
    if (!(found >= least && found <= most && found == floor(found))) {
        mex_stop(mex_id(FINCH_INVALID_VALUE), "%s takes a whole number from %.0f to %.0f", what,
                 least, most);
    }
    return found;
}

/* The data as it lies in the memory of the host: it is not transposed, converted or copied. */
static finch_matrix read_samples(const mxArray *data) {
    int32_t element = FINCH_F64;
    if (mxGetNumberOfDimensions(data) != 2) {
        mex_stop("finch:invalidInput",
                 "the data has more than two dimensions: give one row a sample");
    }
    if (mxIsSparse(data)) {
        mex_stop("finch:invalidInput", "the data is sparse: give full(data)");
    }
    if (mxIsComplex(data)) {
        mex_stop("finch:invalidInput", "the data is complex: give real numbers");
    }
    switch (mxGetClassID(data)) {
    case mxDOUBLE_CLASS:
        element = FINCH_F64;
        break;
    case mxSINGLE_CLASS:
        element = FINCH_F32;
        break;
    case mxUINT8_CLASS:
        element = FINCH_U8;
        break;
    default:
        mex_stop("finch:invalidInput",
                 "the data is of class %s: give double, single or uint8, such as double(data)",
                 mxGetClassName(data));
    }
    return finch_matrix_column_major(mxGetData(data), element, mxGetM(data), mxGetN(data));
}

/* Given first neighbours, in memory that the host frees after the call. The library checks that
 * there is one for each sample. */
static void read_neighbors(struct mex_request *request, const mxArray *given) {
    size_t count = mxGetNumberOfElements(given);
    const double *numbers = mxGetData(given);
    if (count == 0) {
        return;
    }
    if (!mxIsDouble(given) || mxIsComplex(given) || mxIsSparse(given)) {
        mex_stop("finch:invalidInput", "initial_rank is no full vector of real numbers");
    }
    request->neighbors = mxMalloc(count * sizeof *request->neighbors);
    request->neighbor_count = count;
    for (size_t i = 0; i < count; i++) {
        double sample = (double)i + 1, samples = fmin((double)request->samples.rows, INT32_MAX);
        double number = numbers[i];
        if (!(number >= 1 && number <= samples && number == floor(number) && number != sample)) {
            mex_stop(mex_id(FINCH_INVALID_NEIGHBOR),
                     "sample %.0f was given %g as its first neighbour: name another sample, from "
                     "1 to %.0f",
                     sample, number, samples);
        }
        request->neighbors[i] = (int32_t)(number - 1);
    }
}

static void read_option(struct mex_request *request, const mxArray *name, const mxArray *value) {
    finch_options *options = &request->options;
    const char *invalid = "finch:invalidValue";
    int32_t option = choose("finch:unknownOption", "option", name, OPTIONS);
    if (mxIsEmpty(value) && !mxIsChar(value)) {
        return; /* [] is the default. */
    }
    switch (option) {
    case METRIC:
        options->metric = choose(invalid, "Metric", value, METRICS);
        break;
    case REQ_CLUST:
        /* Whether the data has so many samples is checked with the data. */
        request->clusters = (ptrdiff_t)whole_number("ReqClust", value, 0, INT32_MAX);
        /* The neighbours that are searched for the partitions serve for merging, too. */
        options->refinable = 1;
        break;
    case LINKAGE:
        options->linkage = choose(invalid, "Linkage", value, LINKAGES);
        break;
    case FROM:
        options->from = (ptrdiff_t)whole_number("From", value, 1, INT32_MAX) - 1;
        break;
    case LINK_BOUND:
        options->link_bound = choose(invalid, "LinkBound", value, LINK_BOUNDS);
        break;
    case NEIGHBORS:
        options->search = choose(invalid, "Neighbors", value, MEX_SEARCHES);
        break;
    case RECALL:
        /* The range is checked with the data. */
        if (!mxIsDouble(value) || mxIsComplex(value) || mxGetNumberOfElements(value) != 1) {
            mex_stop(invalid, "Recall takes a number above 0 and at most 1");
        }
        options->recall = mxGetScalar(value);
        break;
    case TIME_LIMIT:
        if (!mxIsDouble(value) || mxIsComplex(value) || mxGetNumberOfElements(value) != 1) {
            mex_stop(invalid, "TimeLimit takes a number of seconds above 0");
        }
        options->time_limit = mxGetScalar(value);
        break;
    case SEED:
        options->seed = (uint64_t)whole_number("Seed", value, 0, INT32_MAX);
        break;
    case THREADS:
        options->threads = (size_t)whole_number("Threads", value, 0, INT32_MAX);
        break;
    default:
        request->verbose = whole_number("Verbose", value, 0, INT32_MAX) > 0;
    }
}

/* Runs about twenty times a second. It must return to the library, so it calls no function of the
 * host that could jump instead, as mexPrintf does when a pager is quit. */
static int32_t on_progress(const finch_progress *progress, void *user_data) {
    (void)progress;
    (void)user_data;
    return interrupted();
}

struct mex_request mex_read(int nrhs, const mxArray *prhs[]) {
    struct mex_request request = {.clusters = -1};
    if (nrhs < 2 || nrhs % 2 != 0) {
        mex_stop("finch:invalidInput", "each option is a name followed by a value: see help FINCH");
    }
    request.samples = read_samples(prhs[0]);
    read_neighbors(&request, prhs[1]);
    finch_options_init(&request.options, sizeof request.options);
    request.options.progress = on_progress;
    for (int i = 2; i < nrhs; i += 2) {
        read_option(&request, prhs[i], prhs[i + 1]);
    }
    return request;
}
