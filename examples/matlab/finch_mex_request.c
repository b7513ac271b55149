/* Checks the arguments of a call of the gateway: the data, given first neighbours, labels, and
 * options by their names. */
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "finch_mex.h"

/* True if Ctrl-C was pressed. */
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
    METRIC, REQ_CLUST, LINKAGE, FROM, NESTED, LINK_BOUND, NEIGHBORS, RECALL, TIME_LIMIT, SEED, THREADS,
    WEIGHTS, TIMES, CONTIGUOUS, MUST_LINK, CANNOT_LINK, MIN_SIZE, MAX_SIZE, CUTS, OF, FORMAT, NAMES, KEEP_SAMPLES, REFINED, LABELLING, EXEMPLARS,
    NEIGHBOR_INDEX, MIN_CLUSTER_SIZE, SMALL, OUTLIERS, OUTLIER_THRESHOLD, VERBOSE, OPTION_COUNT
};

/* The commands that cluster their data, and those of them that merge. */
#define CLUSTERS (MEX_CLUSTER | MEX_SUGGEST | MEX_DENDROGRAM | MEX_TREE | MEX_MODEL | MEX_OUTLIERS | \
                  MEX_NOISE | MEX_MEMBERSHIP)
#define MERGES (MEX_GIVEN | MEX_CLUSTER | MEX_DENDROGRAM | MEX_TREE)
#define SEARCHES (CLUSTERS | MEX_NEIGHBORS | MEX_EXTEND)

/* The names of the options, and the commands that take them. */
static const struct {
    const char *name;
    int commands;
} OPTIONS[OPTION_COUNT] = {
    [METRIC] = {"Metric", CLUSTERS | MEX_NEIGHBORS | MEX_DESCRIBE | MEX_GIVEN},
    [REQ_CLUST] = {"ReqClust", MEX_CLUSTER | MEX_GIVEN | MEX_DENDROGRAM},
    [LINKAGE] = {"Linkage", MERGES},
    [FROM] = {"From", MERGES},
    [NESTED] = {"Nested", MEX_CLUSTER | MEX_GIVEN},
    [LINK_BOUND] = {"LinkBound", CLUSTERS | MEX_EXTEND | MEX_GIVEN},
    [NEIGHBORS] = {"Neighbors", SEARCHES | MEX_PREDICT},
    [RECALL] = {"Recall", SEARCHES | MEX_PREDICT},
    [TIME_LIMIT] = {"TimeLimit", SEARCHES},
    [SEED] = {"Seed", SEARCHES | MEX_PREDICT | MEX_DESCRIBE},
    [THREADS] = {"Threads", SEARCHES | MEX_PREDICT | MEX_DESCRIBE | MEX_GIVEN},
    [WEIGHTS] = {"Weights", CLUSTERS | MEX_EXTEND | MEX_DESCRIBE},
    [TIMES] = {"Times", MEX_CLUSTER | MEX_DENDROGRAM | MEX_TREE},
    [CONTIGUOUS] = {"Contiguous", MEX_CLUSTER | MEX_DENDROGRAM | MEX_TREE},
    [MUST_LINK] = {"MustLink", MEX_CLUSTER | MEX_GIVEN},
    [CANNOT_LINK] = {"CannotLink", MEX_CLUSTER | MEX_GIVEN},
    [MIN_SIZE] = {"MinSize", MEX_CLUSTER | MEX_GIVEN},
    [MAX_SIZE] = {"MaxSize", MEX_CLUSTER | MEX_GIVEN},
    [CUTS] = {"Cuts", MEX_DENDROGRAM},
    [OF] = {"Of", MEX_TREE},
    [FORMAT] = {"Format", MEX_TREE},
    [NAMES] = {"Names", MEX_TREE},
    [KEEP_SAMPLES] = {"KeepSamples", MEX_MODEL},
    [REFINED] = {"Refined", MEX_MODEL},
    [LABELLING] = {"Labelling", MEX_PREDICT},
    [EXEMPLARS] = {"Exemplars", MEX_DESCRIBE},
    [NEIGHBOR_INDEX] = {"NeighborIndex", MEX_DESCRIBE},
    [MIN_CLUSTER_SIZE] = {"MinClusterSize", MEX_NOISE},
    [SMALL] = {"Small", MEX_NOISE},
    [OUTLIERS] = {"Outliers", MEX_NOISE},
    [OUTLIER_THRESHOLD] = {"OutlierThreshold", MEX_NOISE},
    [VERBOSE] = {"Verbose", MEX_CLUSTER},
};
static const struct mex_choice METRICS[] = {
    {"euclidean", FINCH_EUCLIDEAN},
    {"cosine", FINCH_COSINE},
    {"cityblock", FINCH_MANHATTAN},
    {"manhattan", FINCH_MANHATTAN},
    {"hamming", FINCH_HAMMING},
    {"jaccard", FINCH_JACCARD},
    {NULL, 0},
};
const struct mex_choice MEX_LINKAGES[] = {
    {"auto", FINCH_LINKAGE_AUTO},
    {"neighbor", FINCH_LINKAGE_NEIGHBOR},
    {"means", FINCH_LINKAGE_MEANS},
    {"centroid", FINCH_LINKAGE_CENTROID},
    {"ward", FINCH_LINKAGE_WARD},
    {NULL, 0},
};
static const struct mex_choice LINK_BOUNDS[] = {
    {"none", FINCH_LINK_BOUND_NONE},
    {"first-neighbor", FINCH_LINK_BOUND_FIRST_NEIGHBOR},
    {"joined-pair", FINCH_LINK_BOUND_JOINED_PAIR},
    {NULL, 0},
};
static const struct mex_choice FORMATS[] = {
    {"newick", FINCH_TREE_NEWICK},
    {"json", FINCH_TREE_JSON},
    {"dot", FINCH_TREE_DOT},
    {NULL, 0},
};
static const struct mex_choice SMALL_CLUSTERS[] = {{"noise", 0}, {"join", 1}, {NULL, 0}};
static const struct mex_choice TREES[] = {{"hierarchy", 0}, {"dendrogram", 1}, {NULL, 0}};
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
    char known[512] = "";
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

double mex_whole_number(const char *what, const mxArray *value, double least, double most) {
    bool number = (mxIsNumeric(value) || mxIsLogical(value)) && !mxIsComplex(value) &&
                  !mxIsSparse(value) && mxGetNumberOfElements(value) == 1;
    double found = number ? mxGetScalar(value) : least - 1;
    if (!(found >= least && found <= most && found == floor(found))) {
        mex_stop(mex_id(FINCH_INVALID_VALUE), "%s takes a whole number from %.0f to %.0f", what,
                 least, most);
    }
    return found;
}

static double real_number(const char *wanted, const mxArray *value) {
    if (!mxIsDouble(value) || mxIsComplex(value) || mxGetNumberOfElements(value) != 1) {
        mex_stop(mex_id(FINCH_INVALID_VALUE), "%s", wanted);
    }
    return mxGetScalar(value);
}

char *mex_text(const char *what, const mxArray *text) {
    char *read = NULL;
    if (text != NULL && mxIsChar(text)) {
#if defined(HAVE_OCTAVE) /* whose texts are UTF-8 */
        read = mxArrayToString(text);
#else
        read = mxArrayToUTF8String(text);
#endif
    }
    if (read == NULL) {
        mex_stop("finch:invalidInput", "%s is no text", what);
    }
    return read;
}

int32_t *mex_integers(const char *what, const mxArray *array, size_t *count) {
    if (!mxIsDouble(array) || mxIsComplex(array) || mxIsSparse(array)) {
        mex_stop("finch:invalidInput", "%s is no full array of real numbers", what);
    }
    const double *numbers = mxGetData(array);
    *count = mxGetNumberOfElements(array);
    int32_t *integers = mxMalloc((*count + 1) * sizeof *integers);
    for (size_t i = 0; i < *count; i++) {
        if (!(fabs(numbers[i]) <= INT32_MAX && numbers[i] == floor(numbers[i]))) {
            mex_stop("finch:invalidValue", "%s has %g: give whole numbers", what, numbers[i]);
        }
        integers[i] = (int32_t)numbers[i];
    }
    return integers;
}

/* The data as it lies in the memory of the host: it is not transposed, converted or copied, unless it
 * is sparse. */
static finch_matrix read_samples(const mxArray *data) {
    int32_t element = FINCH_F64;
    if (mxGetNumberOfDimensions(data) != 2) {
        mex_stop("finch:invalidInput",
                 "the data has more than two dimensions: give one row a sample");
    }
    if (mxIsComplex(data)) {
        mex_stop("finch:invalidInput", "the data is complex: give real numbers");
    }
    if (mxIsSparse(data)) {
        if (!mxIsDouble(data) && !mxIsLogical(data)) {
            mex_stop("finch:invalidInput", "the data is sparse, of class %s: give double(data)",
                     mxGetClassName(data));
        }
        return mex_read_sparse(data);
    }
    switch (mxGetClassID(data)) {
    case mxDOUBLE_CLASS:
        element = FINCH_F64;
        break;
    case mxSINGLE_CLASS:
        element = FINCH_F32;
        break;
    case mxUINT8_CLASS:
    case mxLOGICAL_CLASS:
        element = FINCH_U8;
        break;
    case mxINT8_CLASS:
        element = FINCH_I8;
        break;
    default:
        mex_stop("finch:invalidInput",
                 "the data is of class %s: give double, single, uint8, int8 or logical, such as double(data)",
                 mxGetClassName(data));
    }
    return finch_matrix_column_major(mxGetData(data), element, mxGetM(data), mxGetN(data));
}

/* Given first neighbours, in memory that the host frees after the call. The library checks that
 * there is one for each sample. */
void mex_read_neighbors(struct mex_request *request, const mxArray *given) {
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
        if (!(number >= 0 && number <= samples && number == floor(number) && number != sample)) {
            mex_stop(mex_id(FINCH_INVALID_NEIGHBOR),
                     "sample %.0f was given %g as its first neighbour: name another sample, from "
                     "1 to %.0f, or 0 for none",
                     sample, number, samples);
        }
        request->neighbors[i] = (int32_t)(number - 1);
    }
}

/* Weights stay where they are in the memory of the host. The library checks how many there are. */
void mex_read_weights(struct mex_request *request, const mxArray *given) {
    if (!mxIsDouble(given) || mxIsComplex(given) || mxIsSparse(given)) {
        mex_stop("finch:invalidInput", "Weights is no full vector of real numbers of class double");
    }
    request->weights = mxGetData(given);
    request->weight_count = mxGetNumberOfElements(given);
    for (size_t i = 0; i < request->weight_count; i++) {
        if (!(request->weights[i] > 0 && request->weights[i] <= DBL_MAX)) {
            mex_stop(mex_id(FINCH_INVALID_WEIGHT),
                     "the weight of sample %.0f is %g: give finite numbers above 0", (double)i + 1,
                     request->weights[i]);
        }
    }
}

void mex_read_times(struct mex_request *request, const mxArray *given) {
    if (!mxIsDouble(given) || mxIsComplex(given) || mxIsSparse(given)) {
        mex_stop("finch:invalidInput", "Times is no full vector of real numbers of class double");
    }
    request->times = mxGetData(given);
    request->time_count = mxGetNumberOfElements(given);
    for (size_t i = 0; i < request->time_count; i++) {
        if (!(fabs(request->times[i]) <= 1e140)) {
            mex_stop(mex_id(FINCH_INVALID_TIMES),
                     "sample %.0f has the time stamp %g: give finite numbers within 1e140",
                     (double)i + 1, request->times[i]);
        }
    }
}

static void read_names(struct mex_request *request, const mxArray *given) {
    if (!mxIsCell(given)) {
        mex_stop("finch:invalidInput", "Names is no cell array of texts");
    }
    request->name_count = mxGetNumberOfElements(given);
    request->names = mxMalloc(request->name_count * sizeof *request->names);
    for (size_t i = 0; i < request->name_count; i++) {
        request->names[i] = mex_text("Names", mxGetCell(given, i));
    }
}

static void read_cuts(struct mex_request *request, const mxArray *given) {
    size_t count;
    mex_integers("Cuts", given, &count);
    request->cuts = mxGetData(given);
    request->cut_count = count;
    for (size_t i = 0; i < count; i++) {
        if (request->cuts[i] < 1) {
            mex_stop(mex_id(FINCH_NO_SUCH_CUT), "Cuts has %.0f: clusters are at least 1",
                     request->cuts[i]);
        }
    }
}

static void read_option(struct mex_request *request, enum mex_options command, const mxArray *name,
                        const mxArray *value) {
    finch_options *options = &request->options;
    const char *invalid = "finch:invalidValue";
    struct mex_choice known[OPTION_COUNT + 1] = {{NULL, 0}};
    for (int32_t i = 0, count = 0; i < OPTION_COUNT; i++) {
        if (OPTIONS[i].commands & (int)command) {
            known[count++] = (struct mex_choice){OPTIONS[i].name, i};
        }
    }
    int32_t option = choose("finch:unknownOption", "option", name, known);
    if (mxIsEmpty(value) && !mxIsChar(value)) {
        return; /* [] is the default. */
    }
    switch (option) {
    case METRIC:
        options->metric = choose(invalid, "Metric", value, METRICS);
        break;
    case REQ_CLUST:
        /* The data is checked later for so many samples. */
        request->clusters = (ptrdiff_t)mex_whole_number("ReqClust", value, 0, INT32_MAX);
        /* The neighbours that are searched for the partitions serve for merging, too. */
        options->refinable = 1;
        break;
    case LINKAGE:
        options->linkage = choose(invalid, "Linkage", value, MEX_LINKAGES);
        break;
    case FROM:
        options->from = (ptrdiff_t)mex_whole_number("From", value, 1, INT32_MAX) - 1;
        break;
    case NESTED:
        options->nested = mex_whole_number("Nested", value, 0, 1) > 0;
        break;
    case LINK_BOUND:
        options->link_bound = choose(invalid, "LinkBound", value, LINK_BOUNDS);
        break;
    case NEIGHBORS:
        options->search = choose(invalid, "Neighbors", value, MEX_SEARCHES);
        break;
    /* Ranges are checked with the data. */
    case RECALL:
        options->recall = real_number("Recall takes a number above 0 and at most 1", value);
        break;
    case TIME_LIMIT:
        options->time_limit = real_number("TimeLimit takes a number of seconds above 0", value);
        break;
    case MIN_CLUSTER_SIZE:
        options->min_cluster_size =
            (size_t)mex_whole_number("MinClusterSize", value, 0, INT32_MAX);
        break;
    case SMALL:
        options->join_small = choose(invalid, "Small", value, SMALL_CLUSTERS);
        break;
    case OUTLIERS:
        options->outliers = real_number("Outliers takes a number from 0 to below 1", value);
        break;
    case OUTLIER_THRESHOLD:
        options->outlier_threshold =
            real_number("OutlierThreshold takes a number from 0 to 1", value);
        break;
    case SEED:
        options->seed = (uint64_t)mex_whole_number("Seed", value, 0, INT32_MAX);
        break;
    case THREADS:
        options->threads = (size_t)mex_whole_number("Threads", value, 0, INT32_MAX);
        break;
    case WEIGHTS:
        mex_read_weights(request, value);
        break;
    case TIMES:
        mex_read_times(request, value);
        break;
    case CONTIGUOUS:
        request->contiguous = mex_whole_number("Contiguous", value, 0, 1) > 0;
        break;
    case MUST_LINK:
        request->rules.must_link =
            mex_pairs("MustLink", value, request, &request->rules.must_link_count);
        request->ruled = true;
        break;
    case CANNOT_LINK:
        request->rules.cannot_link =
            mex_pairs("CannotLink", value, request, &request->rules.cannot_link_count);
        request->ruled = true;
        break;
    case MIN_SIZE:
        request->rules.min_size = (size_t)mex_whole_number("MinSize", value, 0, INT32_MAX);
        request->ruled = true;
        break;
    case MAX_SIZE:
        request->rules.max_size = (size_t)mex_whole_number("MaxSize", value, 1, INT32_MAX);
        request->ruled = true;
        break;
    case CUTS:
        read_cuts(request, value);
        break;
    case OF:
        request->of_dendrogram = choose(invalid, "Of", value, TREES) == 1;
        break;
    case FORMAT:
        request->format = choose(invalid, "Format", value, FORMATS);
        break;
    case NAMES:
        read_names(request, value);
        break;
    case KEEP_SAMPLES:
        request->keep_samples = mex_whole_number("KeepSamples", value, 0, 1) > 0;
        break;
    case REFINED:
        if (mxGetM(value) != request->samples.rows) {
            mex_stop(mex_id(FINCH_SAMPLE_COUNT), "Refined has %.0f rows, and the data has %.0f",
                     (double)mxGetM(value), (double)request->samples.rows);
        }
        request->refined = mex_integers("Refined", value, &request->refined_count);
        request->refined_count = mxGetN(value);
        break;
    case LABELLING:
        request->labelling = (size_t)mex_whole_number("Labelling", value, 1, INT32_MAX) - 1;
        break;
    case EXEMPLARS:
        request->exemplars = (size_t)mex_whole_number("Exemplars", value, 0, INT32_MAX);
        break;
    case NEIGHBOR_INDEX:
        if (mxGetM(value) != request->samples.rows) {
            mex_stop(mex_id(FINCH_SAMPLE_COUNT), "NeighborIndex has %.0f rows, and the data has %.0f",
                     (double)mxGetM(value), (double)request->samples.rows);
        }
        request->neighbors = mex_neighbor_rows(value);
        request->neighbor_count = mxGetN(value);
        break;
    default:
        request->verbose = mex_whole_number("Verbose", value, 0, INT32_MAX) > 0;
    }
}

/* Runs about twenty times a second. It must return to the library, so it calls no function of the
 * host that could jump instead, as mexPrintf does when a pager is quit. */
static int32_t on_progress(const finch_progress *progress, void *user_data) {
    (void)progress;
    (void)user_data;
    return interrupted();
}

struct mex_request mex_read(enum mex_options command, const mxArray *data,
                            const struct mex_call *call, int first) {
    struct mex_request request = {.clusters = -1, .keep_samples = true, .exemplars = 1};
    if (call->count < first || (call->count - first) % 2 != 0) {
        mex_stop("finch:invalidInput", "each option is a name followed by a value: see help FINCH");
    }
    request.samples = read_samples(data);
    finch_options_init(&request.options, sizeof request.options);
    finch_constraints_init(&request.rules, sizeof request.rules);
    request.options.progress = on_progress;
    for (int i = first; i < call->count; i += 2) {
        read_option(&request, command, call->inputs[i], call->inputs[i + 1]);
    }
    return request;
}
