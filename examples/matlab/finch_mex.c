/* The gateway between FINCH.m and the library: checks the arguments, does the job, and numbers
 * from 1 what the library numbers from 0.
 *
 *     [c, num_clust, req_c, neighbors, distances, search, recall] = ...
 *         finch_mex(data, initial_rank, 'Name', value, ...)
 *
 * FINCH.m is the manual of the arguments, make.m compiles this. */
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <finch.h>
#include <mex.h>

/* Whether Ctrl-C was pressed. */
#if defined(HAVE_OCTAVE) /* from its mex.h */
#include <quit.h>
/* Only looks: Octave's own OCTAVE_QUIT would throw through the frames of the library. The interrupt
 * ends as the error finch:cancelled, at which Octave clears it. */
static bool interrupted(void) {
    return octave_interrupt_state > 0;
}
#elif defined(FINCH_LIBUT)
/* Not documented by MathWorks, so make.m says whether there is one. */
extern bool utIsInterruptPending(void);
static bool interrupted(void) {
    return utIsInterruptPending();
}
#else
static bool interrupted(void) {
    return false;
}
#endif

/* -- Ending ------------------------------------------------------------------------------------
 *
 * The hosts leave a MEX function by a jump, from mexErrMsgIdAndTxt and from any mx function that
 * runs out of memory. They free what mx functions gave. What the library gave is kept here, where
 * the next call finds it if this one did not get to free it. MEX functions run on one thread. */
static finch_hierarchy *hierarchy;

static void release(void) {
    finch_hierarchy_free(hierarchy);
    hierarchy = NULL;
}

/* Fails. It does not return, though no compiler knows. */
static void stop(const char *id, const char *format, ...) {
    char message[1024];
    va_list values;
    va_start(values, format);
    vsnprintf(message, sizeof message, format, values);
    va_end(values);
    release();
    mexErrMsgIdAndTxt(id, "%s", message);
}

/* FINCH_NON_FINITE has the id finch:nonFinite, and so on. */
static const char *id_of(finch_status status) {
    static const char prefix[] = "FINCH_";
    static char id[64];
    const char *name = finch_status_name(status);
    size_t length = (size_t)snprintf(id, sizeof id, "finch:");
    if (strncmp(name, prefix, strlen(prefix)) == 0) {
        name += strlen(prefix);
    }
    for (bool capital = false; *name != '\0' && length + 1 < sizeof id; name++) {
        if (*name == '_') {
            capital = true;
            continue;
        }
        id[length++] = (char)(capital ? *name : tolower((unsigned char)*name));
        capital = false;
    }
    id[length] = '\0';
    return id;
}

/* -- Checking the arguments -------------------------------------------------------------------- */

struct request {
    finch_matrix samples;
    finch_options options;
    /* From 0; NULL to search them. */
    int32_t *neighbors;
    size_t neighbor_count;
    /* -1 if no exact number of clusters is asked for. */
    ptrdiff_t clusters;
    bool verbose;
};

struct choice {
    const char *name;
    int32_t value;
};

enum { METRIC, REQ_CLUST, LINKAGE, FROM, LINK_BOUND, NEIGHBORS, RECALL, SEED, THREADS, VERBOSE };

/* Each list ends with a NULL. */
static const struct choice OPTIONS[] = {
    {"Metric", METRIC},         {"ReqClust", REQ_CLUST},  {"Linkage", LINKAGE},
    {"From", FROM},             {"LinkBound", LINK_BOUND}, {"Neighbors", NEIGHBORS},
    {"Recall", RECALL},         {"Seed", SEED},           {"Threads", THREADS},
    {"Verbose", VERBOSE},       {NULL, 0},
};
static const struct choice METRICS[] = {
    {"euclidean", FINCH_EUCLIDEAN},
    {"cosine", FINCH_COSINE},
    {"cityblock", FINCH_MANHATTAN},
    {"manhattan", FINCH_MANHATTAN},
    {NULL, 0},
};
static const struct choice LINKAGES[] = {
    {"neighbor", FINCH_LINKAGE_NEIGHBOR},
    {"centroid", FINCH_LINKAGE_CENTROID},
    {"ward", FINCH_LINKAGE_WARD},
    {NULL, 0},
};
static const struct choice LINK_BOUNDS[] = {
    {"none", FINCH_LINK_BOUND_NONE},
    {"first-neighbor", FINCH_LINK_BOUND_FIRST_NEIGHBOR},
    {NULL, 0},
};
static const struct choice SEARCHES[] = {
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
                      const struct choice *choices) {
    const char *name = mxIsChar(text) ? mxArrayToString(text) : NULL;
    char known[256] = "";
    for (const struct choice *choice = choices; choice->name != NULL; choice++) {
        size_t length = strlen(known);
        if (name != NULL && same_but_for_case(name, choice->name)) {
            return choice->value;
        }
        snprintf(known + length, sizeof known - length, length > 0 ? ", %s" : "%s", choice->name);
    }
    if (name == NULL) {
        stop(id, "the %s is no text: it is one of %s", what, known);
    }
    stop(id, "there is no %s '%s': it is one of %s", what, name, known);
    return 0;
}

static double whole_number(const char *what, const mxArray *value, double least, double most) {
    bool number = (mxIsNumeric(value) || mxIsLogical(value)) && !mxIsComplex(value) &&
                  !mxIsSparse(value) && mxGetNumberOfElements(value) == 1;
    double found = number ? mxGetScalar(value) : least - 1;
    if (!(found >= least && found <= most && found == floor(found))) {
        stop(id_of(FINCH_INVALID_VALUE), "%s takes a whole number from %.0f to %.0f", what, least,
             most);
    }
    return found;
}

/* The data as it lies in the memory of the host: it is not transposed, converted or copied. */
static finch_matrix read_samples(const mxArray *data) {
    int32_t element = FINCH_F64;
    if (mxGetNumberOfDimensions(data) != 2) {
        stop("finch:invalidInput", "the data has more than two dimensions: give one row a sample");
    }
    if (mxIsSparse(data)) {
        stop("finch:invalidInput", "the data is sparse: give full(data)");
    }
    if (mxIsComplex(data)) {
        stop("finch:invalidInput", "the data is complex: give real numbers");
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
        stop("finch:invalidInput",
             "the data is of class %s: give double, single or uint8, such as double(data)",
             mxGetClassName(data));
    }
    return finch_matrix_column_major(mxGetData(data), element, mxGetM(data), mxGetN(data));
}

/* The host frees them after the call. That there is one for each sample is up to the library. */
static void read_neighbors(struct request *request, const mxArray *given) {
    size_t count = mxGetNumberOfElements(given);
    const double *numbers = mxGetData(given);
    if (count == 0) {
        return;
    }
    if (!mxIsDouble(given) || mxIsComplex(given) || mxIsSparse(given)) {
        stop("finch:invalidInput", "initial_rank is no full vector of real numbers");
    }
    request->neighbors = mxMalloc(count * sizeof *request->neighbors);
    request->neighbor_count = count;
    for (size_t i = 0; i < count; i++) {
        double sample = (double)i + 1, samples = fmin((double)request->samples.rows, INT32_MAX);
        double number = numbers[i];
        if (!(number >= 1 && number <= samples && number == floor(number) && number != sample)) {
            stop(id_of(FINCH_INVALID_NEIGHBOR),
                 "sample %.0f was given %g as its first neighbour: name another sample, from 1 to "
                 "%.0f",
                 sample, number, samples);
        }
        request->neighbors[i] = (int32_t)(number - 1);
    }
}

static void read_option(struct request *request, const mxArray *name, const mxArray *value) {
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
        /* How many there can be is checked with the data. */
        request->clusters = (ptrdiff_t)whole_number("ReqClust", value, 0, INT32_MAX);
        /* What is searched for the partitions serves for merging, too. */
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
        options->search = choose(invalid, "Neighbors", value, SEARCHES);
        break;
    case RECALL:
        /* The range is checked with the data. */
        if (!mxIsDouble(value) || mxIsComplex(value) || mxGetNumberOfElements(value) != 1) {
            stop(invalid, "Recall takes a number above 0 and at most 1");
        }
        options->recall = mxGetScalar(value);
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

/* Told about twenty times a second. It must return to the library, so it calls nothing of the host
 * that could jump instead, which mexPrintf does when a pager is quit. */
static int32_t on_progress(const finch_progress *progress, void *user_data) {
    (void)progress;
    (void)user_data;
    return interrupted();
}

static struct request read_request(int nrhs, const mxArray *prhs[]) {
    struct request request = {.clusters = -1};
    if (nrhs < 2 || nrhs % 2 != 0) {
        stop("finch:invalidInput", "each option is a name followed by a value: see help FINCH");
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

/* -- Doing the job ----------------------------------------------------------------------------- */

/* Says which value the library refused. Its own message numbers rows and columns from 0. */
static void stop_at_value(finch_status status, const finch_matrix *samples) {
    const double *doubles = samples->data;
    const float *singles = samples->data;
    size_t found = 0, count = samples->rows * samples->columns;
    double worst = 0;
    for (size_t i = 0; i < count && fabs(worst) <= DBL_MAX; i++) {
        double value = samples->element == FINCH_F64 ? doubles[i] : (double)singles[i];
        bool finite = fabs(value) <= DBL_MAX;
        if (status == FINCH_NON_FINITE ? !finite : finite && fabs(value) > fabs(worst)) {
            worst = value;
            found = i;
        }
    }
    stop(id_of(status), "the value in row %.0f, column %.0f is %s: %s",
         (double)(found % samples->rows) + 1, (double)(found / samples->rows) + 1,
         status != FINCH_NON_FINITE ? "too large for squared distances"
         : isnan(worst)             ? "NaN"
                                    : "infinite",
         status != FINCH_NON_FINITE ? "rescale that feature"
                                    : "remove or impute it, distances need finite numbers");
}

/* Fails as the library did, but with everything numbered from 1. */
static void check(finch_status status, const struct request *request) {
    double from = (double)request->options.from + 1;
    switch (status) {
    case FINCH_OK:
        return;
    case FINCH_CANCELLED:
        stop(id_of(status), "stopped by Ctrl-C");
        return;
    case FINCH_NON_FINITE:
    case FINCH_VALUE_TOO_LARGE:
        stop_at_value(status, &request->samples);
        return;
    case FINCH_NO_SUCH_PARTITION:
        stop(id_of(status), "there is no partition %.0f to start from: there are %.0f", from,
             (double)finch_hierarchy_partition_count(hierarchy));
        return;
    case FINCH_TOO_COARSE:
        stop(id_of(status),
             "partition %.0f has too few clusters to merge into %.0f: start from a finer one", from,
             (double)request->clusters);
        return;
    default:
        stop(id_of(status), "%s", finch_last_error_message());
    }
}

static void cluster(const struct request *request) {
    size_t rows = request->samples.rows;
    ptrdiff_t clusters = request->clusters;
    /* The library would say so only after a search that may take long. */
    if (rows > 0 && (clusters == 0 || clusters > (ptrdiff_t)rows)) {
        stop(id_of(FINCH_CLUSTER_COUNT),
             "cannot make %.0f clusters of %.0f samples: ask for 1 to %.0f", (double)clusters,
             (double)rows, (double)rows);
    }
    if (request->neighbors != NULL) {
        check(finch_cluster_given(&request->samples, request->neighbors, request->neighbor_count,
                                  &request->options, &hierarchy),
              request);
    } else {
        check(finch_cluster(&request->samples, &request->options, &hierarchy), request);
    }
}

static void print_partitions(void) {
    for (size_t k = 0; k < finch_hierarchy_partition_count(hierarchy); k++) {
        mexPrintf("Partition %.0f: %.0f clusters\n", (double)k + 1,
                  (double)finch_hierarchy_cluster_count(hierarchy, k));
    }
}

static void number_from_1(double *to, const int32_t *from, size_t count) {
    for (size_t i = 0; i < count; i++) {
        to[i] = (double)from[i] + 1;
    }
}

/* c, N x P. Labels are double, as all that MATLAB indexes and calculates with is by default. */
static mxArray *all_labels(void) {
    size_t samples = finch_hierarchy_sample_count(hierarchy);
    size_t partitions = finch_hierarchy_partition_count(hierarchy);
    mxArray *array = mxCreateDoubleMatrix(samples, partitions, mxREAL);
    double *labels = mxGetData(array);
    for (size_t k = 0; k < partitions; k++) {
        number_from_1(labels + k * samples, finch_hierarchy_labels(hierarchy, k), samples);
    }
    return array;
}

/* num_clust, 1 x P. */
static mxArray *cluster_counts(void) {
    size_t partitions = finch_hierarchy_partition_count(hierarchy);
    mxArray *array = mxCreateDoubleMatrix(1, partitions, mxREAL);
    double *counts = mxGetData(array);
    for (size_t k = 0; k < partitions; k++) {
        counts[k] = (double)finch_hierarchy_cluster_count(hierarchy, k);
    }
    return array;
}

/* req_c, N x 1, or [] if it was not asked for. */
static mxArray *exactly(const struct request *request) {
    size_t samples = finch_hierarchy_sample_count(hierarchy);
    if (request->clusters < 0) {
        return mxCreateDoubleMatrix(0, 0, mxREAL);
    }
    mxArray *array = mxCreateDoubleMatrix(samples, 1, mxREAL);
    int32_t *labels = mxMalloc(samples * sizeof *labels);
    check(finch_hierarchy_refine(hierarchy, &request->samples, (size_t)request->clusters,
                                 &request->options, labels, samples),
          request);
    number_from_1(mxGetData(array), labels, samples);
    mxFree(labels);
    return array;
}

/* A single sample has no first neighbour. */
static size_t neighbor_count(void) {
    size_t samples = finch_hierarchy_sample_count(hierarchy);
    return samples > 1 ? samples : 0;
}

static mxArray *first_neighbors(void) {
    mxArray *array = mxCreateDoubleMatrix(neighbor_count(), 1, mxREAL);
    number_from_1(mxGetData(array), finch_hierarchy_first_neighbors(hierarchy), neighbor_count());
    return array;
}

static mxArray *distances(void) {
    mxArray *array = mxCreateDoubleMatrix(neighbor_count(), 1, mxREAL);
    double *to = mxGetData(array);
    const double *from = finch_hierarchy_distances(hierarchy);
    for (size_t i = 0; i < neighbor_count(); i++) {
        to[i] = from[i];
    }
    return array;
}

static mxArray *search(void) {
    int32_t used = finch_hierarchy_search(hierarchy);
    for (const struct choice *choice = SEARCHES; choice->name != NULL; choice++) {
        if (choice->value == used) {
            return mxCreateString(choice->name);
        }
    }
    return mxCreateString("given");
}

/* The worker threads of the library sleep in the code of this file between calls. `clear mex` must
 * not take it from under them, so it stays until the host ends. That holds on every system; the
 * linker's -z nodelete would do the same on one. */
static void stay_loaded(void) {
    if (!mexIsLocked()) {
        mexLock();
        mexAtExit(release);
    }
}

void mexFunction(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]) {
    stay_loaded();
    release();
    if (nlhs != 7) {
        stop("finch:invalidInput", "finch_mex is for FINCH to call: see help FINCH");
    }
    struct request request = read_request(nrhs, prhs);
    cluster(&request);
    if (request.verbose) {
        print_partitions();
    }
    plhs[0] = all_labels();
    plhs[1] = cluster_counts();
    plhs[2] = exactly(&request);
    plhs[3] = first_neighbors();
    plhs[4] = distances();
    plhs[5] = search();
    plhs[6] = mxCreateDoubleScalar(finch_hierarchy_recall(hierarchy));
    release();
}
