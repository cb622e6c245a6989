// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Processes and threads that are not as usual: forked, cancelled, ending, with little stack, without file descriptors or
// with a standard error that nobody reads; settings that make no sense; log callbacks that call back. Each case runs in
// a child process of its own, so that a hang, an abort or a signal is a failed check. Usage: surroundings FOLDER

#include "check.h"
#include "vector.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

enum { REFUSED = 10, WRONG = 11, SECONDS = 20 };

static vector v;

// ---- What the cases do

// 0, REFUSED or WRONG; `code` may be NULL.
static int prove_code(int *code)
{
    interlock_srs srs;
    interlock_proof *proofs = vector_room(&v);
    interlock_error error = create_SRS(&srs, v.params, false);
    int outcome = 0;
    if (error.code == 0)
        error = generate_groth16_proofs_c(v.assignments, v.circuits, v.r, v.s, proofs, &srs, NULL);
    if (code != NULL)
        *code = error.code;
    if (error.code != 0)
        outcome = error.message != NULL && error.message[0] != '\0' ? REFUSED : WRONG;
    else if (!vector_matches(&v, proofs))
        outcome = WRONG;
    free(error.message);
    drop_SRS(&srs);
    free(proofs);
    return outcome;
}

static int prove(void)
{
    return prove_code(NULL);
}

static void warn(void)
{
    destroy_gpu_locks((void *)0x77);
}

static void *prove_in_thread(void *outcome)
{
    *(int *)outcome = prove();
    return NULL;
}

static int prove_on_stack(size_t bytes)
{
    pthread_attr_t attributes;
    pthread_t thread;
    int outcome = WRONG;
    pthread_attr_init(&attributes);
    if (pthread_attr_setstacksize(&attributes, bytes) != 0
        || pthread_create(&thread, &attributes, prove_in_thread, &outcome) != 0)
        return WRONG;
    pthread_join(thread, NULL);
    return outcome;
}

// ---- Processes

static int status_of(pid_t child)
{
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

// A child that has none of the library's threads is told so.
static int forked_after_use(void)
{
    pid_t child;
    if (prove() != 0)
        return WRONG;
    child = fork();
    if (child == 0) {
        alarm(SECONDS / 2);
        _exit(prove());
    }
    return status_of(child) == REFUSED && prove() == 0 ? 0 : WRONG;
}

static int forked_with_an_srs(void)
{
    interlock_srs srs;
    interlock_error error = create_SRS(&srs, v.params, true);
    pid_t child;
    int outcome;
    if (error.code != 0)
        return WRONG;
    child = fork();
    if (child == 0) {
        interlock_proof *proofs = vector_room(&v);
        alarm(SECONDS / 2);
        error = generate_groth16_proofs_c(v.assignments, v.circuits, v.r, v.s, proofs, &srs, NULL);
        drop_SRS(&srs);
        _exit(error.code == EINVAL && strstr(error.message, "forked") != NULL ? 0 : WRONG);
    }
    outcome = status_of(child);
    drop_SRS(&srs);
    return outcome;
}

static void *warn_for_ever(void *unused)
{
    for (;;)
        warn();
    return unused;
}

// A lock that another thread holds at the fork is held in the child for good.
static int forked_while_others_warn(void)
{
    pthread_t thread;
    int null = open("/dev/null", O_WRONLY);
    if (prove() != 0 || null < 0 || dup2(null, STDERR_FILENO) < 0 || pthread_create(&thread, NULL, warn_for_ever, NULL) != 0)
        return WRONG;
    for (int i = 0; i < 300; i++) {
        interlock_srs none = {NULL};
        pid_t child = fork();
        if (child == 0) {
            alarm(SECONDS / 2);
            drop_SRS(&none);
            warn();
            interlock_current_backend();
            _exit(create_gpu_locks() == NULL ? 0 : WRONG);
        }
        if (status_of(child) != 0)
            return WRONG;
    }
    return 0;
}

static int forked_before_use(void)
{
    pid_t child;
    interlock_set_log_level(INTERLOCK_LOG_LEVEL_WARN);
    destroy_gpu_locks(create_gpu_locks());
    child = fork();
    if (child == 0)
        _exit(prove());
    return status_of(child);
}

static bool may_be_refused_at_exit;

static void prove_at_exit(void)
{
    int outcome = prove();
    if (outcome != 0 && !(may_be_refused_at_exit && outcome == REFUSED))
        _exit(WRONG);
    warn();
}

static int at_exit(void)
{
    int outcome = prove();
    atexit(prove_at_exit);
    exit(outcome);
}

// A handler that is older than a GPU's first use runs when CUDA has ended: then a GPU can only be refused.
static int at_exit_from_the_beginning(void)
{
    int outcome;
    const char *backend;
    atexit(prove_at_exit);
    outcome = prove();
    backend = interlock_current_backend();
    may_be_refused_at_exit = backend != NULL && strcmp(backend, "gpu") == 0;
    exit(outcome);
}

static int without_descriptors(void)
{
    int outcome;
    close(0);
    close(1);
    close(2);
    outcome = prove();
    warn();
    return outcome == 0 ? prove() : outcome;
}

static int no_more_descriptors(void)
{
    const struct rlimit none = {0, 0};
    int code = 0;
    setrlimit(RLIMIT_NOFILE, &none);
    return prove_code(&code) == REFUSED && code == EMFILE ? 0 : WRONG;
}

// The signal of a file that may not grow would end the process.
static int files_that_may_not_grow(void)
{
    const struct rlimit few = {100, 100};
    char path[] = "/tmp/interlock-limited-XXXXXX";
    int code, descriptor = mkstemp(path);
    interlock_error error = interlock_trace_start();
    if (descriptor < 0 || error.code != 0 || prove() != 0)
        return WRONG;
    dup2(descriptor, STDERR_FILENO);
    setrlimit(RLIMIT_FSIZE, &few);
    for (int i = 0; i < 20; i++)
        warn();
    error = interlock_trace_write(path);
    code = error.code;
    free(error.message);
    unlink(path);
    return code == EFBIG ? prove() : WRONG;
}

static int standard_error_unread(void)
{
    int ends[2];
    if (pipe(ends) != 0)
        return WRONG;
    close(ends[0]);
    dup2(ends[1], STDERR_FILENO);
    warn();
    return 0;
}

static int standard_error_full(void)
{
    dup2(open("/dev/full", O_WRONLY), STDERR_FILENO);
    warn();
    return 0;
}

static void nothing(int signal)
{
    (void)signal;
}

static int interrupted(void)
{
    const struct itimerval often = {{0, 200}, {0, 200}};
    struct sigaction action;
    int i, outcome = 0;
    memset(&action, 0, sizeof action);
    action.sa_handler = nothing;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (i = 0; i < 20 && outcome == 0; i++)
        outcome = prove();
    return outcome;
}

// ---- Threads

static int stack_of_64_kib(void)
{
    return prove_on_stack(64 << 10);
}

// A file that was written just now is waited for, which is where a thread can be cancelled.
static int cancelled(void)
{
    char path[] = "/tmp/interlock-cancel-XXXXXX";
    size_t bytes;
    unsigned char *content = read_whole(v.params, &bytes);
    int i, outcome, file = mkstemp(path);
    if (file < 0 || write(file, content, bytes) != (ssize_t)bytes)
        return WRONG;
    free(v.params);
    v.params = path;
    for (i = 0; i < 10; i++) {
        pthread_t thread;
        futimes(file, NULL);
        if (pthread_create(&thread, NULL, prove_in_thread, &outcome) != 0)
            return WRONG;
        usleep(3000);
        pthread_cancel(thread);
        pthread_join(thread, NULL);
    }
    outcome = prove();
    unlink(path);
    return outcome;
}

static pthread_key_t at_thread_end;
static int outcome_at_thread_end;

static void prove_at_thread_end(void *unused)
{
    (void)unused;
    warn();
    outcome_at_thread_end = interlock_last_error() != NULL ? prove() : WRONG;
}

static void *end(void *first)
{
    if (first != NULL)
        warn();
    pthread_setspecific(at_thread_end, &at_thread_end);
    return NULL;
}

static int while_a_thread_ends(void)
{
    int i, outcome = 0;
    pthread_key_create(&at_thread_end, prove_at_thread_end);
    for (i = 0; i < 2; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, end, i == 0 ? NULL : &i) != 0)
            return WRONG;
        pthread_join(thread, NULL);
        outcome |= outcome_at_thread_end;
    }
    return outcome;
}

// Many more callers than threads: a thread that waits takes the work of others on top of its own.
static int many_callers(void)
{
    enum { CALLERS = 1000 };
    static pthread_t threads[CALLERS];
    static int outcomes[CALLERS];
    pthread_attr_t attributes;
    int i, outcome = 0;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 << 10);
    for (i = 0; i < CALLERS; i++)
        if (pthread_create(&threads[i], &attributes, prove_in_thread, &outcomes[i]) != 0)
            return WRONG;
    for (i = 0; i < CALLERS; i++) {
        pthread_join(threads[i], NULL);
        outcome |= outcomes[i];
    }
    return outcome;
}

// ---- Settings

static int with(const char *name, const char *value)
{
    setenv(name, value, 1);
    return prove();
}

static int no_threads(void)
{
    return with("INTERLOCK_CPU_THREADS", "0");
}

static int negative_threads(void)
{
    return with("INTERLOCK_CPU_THREADS", "-1");
}

static int far_too_many_threads(void)
{
    return with("INTERLOCK_CPU_THREADS", "18446744073709551615");
}

static int tiny_thread_stacks(void)
{
    return with("RUST_MIN_STACK", "1");
}

static int huge_thread_stacks(void)
{
    return with("RUST_MIN_STACK", "18446744073709551615");
}

static int noise(void)
{
    const char *names[] = {"INTERLOCK_SRS_CACHE", "INTERLOCK_LOG", "RAYON_NUM_THREADS",
                           "INTERLOCK_CPU_THREADS"};
    size_t i;
    for (i = 0; i < sizeof names / sizeof *names; i++)
        setenv(names[i], "\xff\x80 \n-5", 1);
    return prove();
}

static int noise_for_a_backend(void)
{
    setenv("INTERLOCK_BACKEND", "\xff\x80", 1);
    return prove() == REFUSED ? 0 : WRONG;
}

static int noise_for_a_check(void)
{
    setenv("INTERLOCK_CHECK_SUBGROUP", "yes", 1);
    return prove() == REFUSED ? 0 : WRONG;
}

static int noise_for_multiples(void)
{
    setenv("INTERLOCK_H_MULTIPLES", "yes", 1);
    return prove() == REFUSED ? 0 : WRONG;
}

// With a GPU and without.
static int noise_for_a_budget(void)
{
    interlock_srs srs;
    interlock_error error;
    int outcome;
    setenv("INTERLOCK_VRAM_BUDGET", "12 gigabytes", 1);
    error = create_SRS(&srs, v.params, false);
    outcome = error.code == EINVAL && strstr(error.message, "INTERLOCK_VRAM_BUDGET is \"12 gigabytes\"") != NULL;
    free(error.message);
    outcome = outcome && interlock_current_backend() == NULL && prove() == REFUSED;
    setenv("INTERLOCK_VRAM_BUDGET", "12G", 1);
    return outcome && interlock_current_backend() != NULL ? prove() : WRONG;
}

static void count_nvtx(int level, const char *message, void *count)
{
    *(int *)count += level == INTERLOCK_LOG_LEVEL_WARN && strstr(message, "INTERLOCK_NVTX is \"yes\"") != NULL;
}

static int noise_for_profilers(void)
{
    static int count;
    setenv("INTERLOCK_NVTX", "yes", 1);
    interlock_set_log_callback(count_nvtx, &count);
    return prove() | prove() | (count == 1 ? 0 : WRONG);
}

// ---- The timeline that INTERLOCK_TRACE keeps

// How often `what` is in the file, or -1 without one.
static int occurrences(const char *file, const char *what)
{
    size_t bytes;
    char *content, *at;
    int count = 0;
    if (access(file, R_OK) != 0)
        return -1;
    content = (char *)read_whole(file, &bytes);
    for (at = content; (at = (char *)memmem(at, bytes - (size_t)(at - content), what, strlen(what))) != NULL; at++)
        count++;
    free(content);
    return count;
}

static char *scratch_folder(void)
{
    static char folder[] = "/tmp/interlock-surroundings-XXXXXX";
    return mkdtemp(folder);
}

// Calls that end just after the file was written are in it soon, without another call and before the program's end.
static int traced_to_the_last_call(void)
{
    char *folder = scratch_folder(), path[64];
    int ticks, found = 0;
    if (folder == NULL)
        return WRONG;
    snprintf(path, sizeof path, "%s/trace.json", folder);
    setenv("INTERLOCK_TRACE", path, 1);
    if (prove() != 0 || prove() != 0)
        return WRONG;
    for (ticks = 0; ticks < SECONDS * 5 && found != 2; ticks++) {
        usleep(100000);
        found = occurrences(path, "\"finishing proofs\"");
    }
    unlink(path);
    return rmdir(folder) == 0 && found == 2 ? 0 : WRONG;
}

// The name is relative to the folder that the program was in then.
static int traced_from_another_folder(void)
{
    char *folder = scratch_folder(), *params = realpath(v.params, NULL);
    int outcome;
    if (folder == NULL || chdir(folder) != 0 || params == NULL)
        return WRONG;
    v.params = params;
    setenv("INTERLOCK_TRACE", "trace.json", 1);
    outcome = prove();
    if (chdir("/") != 0 || prove() != 0)
        return WRONG;
    sleep(1);
    outcome |= prove();
    if (access("trace.json", F_OK) == 0 || chdir(folder) != 0)
        return WRONG;
    outcome |= occurrences("trace.json", "\"starting proofs\"") >= 2 ? 0 : WRONG;
    unlink("trace.json");
    rmdir(folder);
    return outcome;
}

// Nothing was said before: the folder went after the file had been written.
static int traced_to_a_folder_that_went(void)
{
    char *folder = scratch_folder(), path[64], said[4096] = "";
    size_t length = 0;
    ssize_t more;
    int ends[2], status;
    pid_t child;
    if (folder == NULL || pipe(ends) != 0)
        return WRONG;
    snprintf(path, sizeof path, "%s/trace.json", folder);
    child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        setenv("INTERLOCK_TRACE", path, 1);
        if (prove() != 0 || unlink(path) != 0 || rmdir(folder) != 0)
            _exit(WRONG);
        exit(prove());
    }
    close(ends[1]);
    status = status_of(child);
    // Other warnings may come first, such as why it does not prove on a GPU.
    while (length < sizeof said - 1 && (more = read(ends[0], said + length, sizeof said - 1 - length)) > 0)
        length += (size_t)more;
    return strstr(said, "warning: INTERLOCK_TRACE: cannot write trace file") != NULL ? status : WRONG;
}

// ---- Log callbacks

static __thread int depth;

// Loads the same file and proves with it, whatever it is told of.
static void call_back(int level, const char *message, void *user)
{
    (void)level;
    (void)message;
    if (depth < 2) {
        depth++;
        if (prove() != 0)
            *(int *)user = WRONG;
        warn();
        interlock_current_backend();
        depth--;
    }
}

static int calling_back(void)
{
    static int outcome;
    interlock_set_log_level(INTERLOCK_LOG_LEVEL_TRACE);
    interlock_set_log_callback(call_back, &outcome);
    return prove() | outcome;
}

static int calling_back_with_one_worker(void)
{
    int outcome;
    interlock_gpu_locks_set_workers(NULL, 1);
    outcome = calling_back();
    interlock_gpu_locks_set_workers(NULL, 0);
    return outcome;
}

static int calling_back_with_noise(void)
{
    setenv("INTERLOCK_CPU_THREADS", "garbage", 1);
    setenv("INTERLOCK_SRS_CACHE", "garbage", 1);
    return calling_back();
}

static void load(int level, const char *message, void *user)
{
    interlock_srs srs;
    (void)level;
    (void)message;
    (void)user;
    free(create_SRS(&srs, v.params, false).message);
    drop_SRS(&srs);
}

static void *prove_often(void *outcome)
{
    int i;
    for (i = 0; i < 100; i++)
        *(int *)outcome |= prove();
    return NULL;
}

// A callback that waits for another thread's load, which needs the only thread that works.
static int callbacks_that_wait_for_loads(void)
{
    enum { PROVERS = 5 };
    pthread_t threads[PROVERS];
    int outcomes[PROVERS] = {0}, outcome = 0, i;
    setenv("INTERLOCK_CPU_THREADS", "1", 1);
    interlock_set_log_level(INTERLOCK_LOG_LEVEL_INFO);
    interlock_set_log_callback(load, NULL);
    for (i = 0; i < PROVERS; i++)
        if (pthread_create(&threads[i], NULL, prove_often, &outcomes[i]) != 0)
            return WRONG;
    for (i = 0; i < PROVERS; i++) {
        pthread_join(threads[i], NULL);
        outcome |= outcomes[i];
    }
    return outcome;
}

// ---- Running them

static const struct {
    const char *name;
    int (*run)(void);
} CASES[] = {
    {"forked after use", forked_after_use},
    {"forked with an SRS", forked_with_an_srs},
    {"forked while others warn", forked_while_others_warn},
    {"forked before use", forked_before_use},
    {"at exit", at_exit},
    {"at exit, as said in the beginning", at_exit_from_the_beginning},
    {"without descriptors 0, 1 and 2", without_descriptors},
    {"no more descriptors", no_more_descriptors},
    {"files that may not grow", files_that_may_not_grow},
    {"standard error that nobody reads", standard_error_unread},
    {"standard error on a full disk", standard_error_full},
    {"interrupted by signals", interrupted},
    {"a stack of 64 KiB", stack_of_64_kib},
    {"a cancelled thread", cancelled},
    {"a thread that ends", while_a_thread_ends},
    {"many callers", many_callers},
    {"0 threads", no_threads},
    {"-1 threads", negative_threads},
    {"far too many threads", far_too_many_threads},
    {"a tiny RUST_MIN_STACK", tiny_thread_stacks},
    {"a huge RUST_MIN_STACK", huge_thread_stacks},
    {"noise in the settings", noise},
    {"noise for a backend", noise_for_a_backend},
    {"noise for a check", noise_for_a_check},
    {"noise for multiples", noise_for_multiples},
    {"noise for a budget", noise_for_a_budget},
    {"noise for profilers", noise_for_profilers},
    {"a trace to the last call", traced_to_the_last_call},
    {"a trace from another folder", traced_from_another_folder},
    {"a trace to a folder that went", traced_to_a_folder_that_went},
    {"a log callback that calls back", calling_back},
    {"a log callback that calls back, one worker", calling_back_with_one_worker},
    {"a log callback that calls back, noise", calling_back_with_noise},
    {"log callbacks that wait for loads", callbacks_that_wait_for_loads},
};

// What the case wrote to standard output and standard error goes nowhere, unless it fails.
static void run(const char *name, int (*function)(void))
{
    int status = 0, ticks = 0;
    pid_t child = fork();
    if (child == 0) {
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        exit(function());
    }
    while (waitpid(child, &status, WNOHANG) == 0 && ticks++ < SECONDS * 100)
        usleep(10000);
    if (ticks > SECONDS * 100) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        check(false, "%s: no end after %d s", name, SECONDS);
    } else if (WIFSIGNALED(status)) {
        check(false, "%s: signal %d", name, WTERMSIG(status));
    } else {
        check(WEXITSTATUS(status) == 0, "%s: %d", name, WEXITSTATUS(status));
    }
}

int main(int argc, char **argv)
{
    size_t i;
    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    v = vector_load(argv[1]);
    checks_begin(argv[0]);
    for (i = 0; i < sizeof CASES / sizeof *CASES; i++)
        run(CASES[i].name, CASES[i].run);
    vector_free(&v);
    return checks_end();
}
