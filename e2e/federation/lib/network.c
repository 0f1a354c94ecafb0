/* The network of one process, as a test wants it: preloaded, it answers name look-ups from a file, leads public
 * addresses to ports of this machine, writes down every connection, and lets none leave the machine.
 *
 * RILLCAST_E2E_NETWORK names a folder. Its file `names` has a line for each host: the name, and an answer (addresses
 * with commas between) for each look-up in turn; the last one stays. Its file `routes` has lines of an address and a
 * port. `log` gets a line for each look-up and each connection.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_HOSTS 64
#define MAX_TEXT 512

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { char host[256]; int asked; } known[MAX_HOSTS];

static FILE *open_file(const char *name) {
    char path[MAX_TEXT];
    const char *folder = getenv("RILLCAST_E2E_NETWORK");
    if (!folder) return NULL;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, strcmp(name, "log") == 0 ? "ae" : "re");
}

static void note(const char *what, const char *about, int port) {
    FILE *log = open_file("log");
    if (!log) return;
    fprintf(log, "%s %s %d\n", what, about, port);
    fclose(log);
}

/* How often this host was asked for before. */
static int times_asked(const char *host) {
    for (int i = 0; i < MAX_HOSTS; i++) {
        if (known[i].host[0] == '\0') snprintf(known[i].host, sizeof known[i].host, "%s", host);
        if (strcmp(known[i].host, host) == 0) return known[i].asked++;
    }
    return 0;
}

/* The answer for this look-up, or nothing. */
static int answer_for(const char *host, char *answer, size_t size) {
    FILE *names = open_file("names");
    if (!names) return 0;
    char line[MAX_TEXT];
    int found = 0;
    while (!found && fgets(line, sizeof line, names)) {
        char *rest = NULL;
        char *name = strtok_r(line, " \n", &rest);
        if (!name || strcmp(name, host) != 0) continue;
        int turn = times_asked(host);
        for (char *next = strtok_r(NULL, " \n", &rest); next; next = strtok_r(NULL, " \n", &rest)) {
            snprintf(answer, size, "%s", next);
            found = 1;
            if (turn-- == 0) break;
        }
    }
    fclose(names);
    return found;
}

static struct addrinfo *entry(const char *text, int port, int socktype) {
    struct addrinfo *info = calloc(1, sizeof *info + sizeof(struct sockaddr_in6));
    if (!info) return NULL;
    info->ai_addr = (struct sockaddr *)(info + 1);
    info->ai_socktype = socktype;
    struct sockaddr_in *v4 = (struct sockaddr_in *)info->ai_addr;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)info->ai_addr;
    if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
        info->ai_family = v4->sin_family = AF_INET;
        info->ai_addrlen = sizeof *v4;
        v4->sin_port = htons(port);
    } else {
        inet_pton(AF_INET6, text, &v6->sin6_addr);
        info->ai_family = v6->sin6_family = AF_INET6;
        info->ai_addrlen = sizeof *v6;
        v6->sin6_port = htons(port);
    }
    return info;
}

int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
    char answer[MAX_TEXT] = "";
    int port = service ? atoi(service) : 0;
    int socktype = hints && hints->ai_socktype ? hints->ai_socktype : SOCK_STREAM;
    note("lookup", host ? host : "-", port);
    *result = NULL;
    pthread_mutex_lock(&lock);
    int found = host && answer_for(host, answer, sizeof answer);
    pthread_mutex_unlock(&lock);
    if (!found) return EAI_NONAME;
    struct addrinfo **end = result;
    char *rest = NULL;
    for (char *one = strtok_r(answer, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
        *end = entry(one, port, socktype);
        if (*end) end = &(*end)->ai_next;
    }
    return *result ? 0 : EAI_MEMORY;
}

void freeaddrinfo(struct addrinfo *info) {
    while (info) {
        struct addrinfo *next = info->ai_next;
        free(info);
        info = next;
    }
}

/* The port an address is led to, or 0. */
static int route_of(const char *address) {
    FILE *routes = open_file("routes");
    if (!routes) return 0;
    char name[128];
    int port = 0, candidate = 0;
    while (port == 0 && fscanf(routes, "%127s %d", name, &candidate) == 2)
        if (strcmp(name, address) == 0) port = candidate;
    fclose(routes);
    return port;
}

int connect(int fd, const struct sockaddr *address, socklen_t length) {
    static int (*real)(int, const struct sockaddr *, socklen_t);
    if (!real) real = (int (*)(int, const struct sockaddr *, socklen_t))dlsym(RTLD_NEXT, "connect");
    if (address->sa_family != AF_INET && address->sa_family != AF_INET6) return real(fd, address, length);
    char text[INET6_ADDRSTRLEN];
    int is_v4 = address->sa_family == AF_INET;
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
    inet_ntop(address->sa_family, is_v4 ? (const void *)&v4->sin_addr : (const void *)&v6->sin6_addr, text, sizeof text);
    note("connect", text, ntohs(is_v4 ? v4->sin_port : v6->sin6_port));
    int is_local = is_v4 ? (ntohl(v4->sin_addr.s_addr) >> 24) == 127 : IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
    if (is_local) return real(fd, address, length);
    int port = route_of(text);
    if (port == 0 || !is_v4) {
        errno = ENETUNREACH;
        return -1;
    }
    struct sockaddr_in led = {.sin_family = AF_INET, .sin_port = htons(port)};
    led.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return real(fd, (struct sockaddr *)&led, sizeof led);
}
