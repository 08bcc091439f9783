/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/team_link.h"

#include "base/check.h"

#ifdef MASING_HAS_MPI

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "base/loaded_library.h"
#include "base/memory.h"

/* F(name without the prefix, arguments); all return an int */
#define MPI_FUNCTIONS(F)                                                                       \
    F(Init_thread, (int *, char ***, int, int *))                                              \
    F(Comm_rank, (MPI_Comm, int *))                                                            \
    F(Comm_size, (MPI_Comm, int *))                                                            \
    F(Comm_split_type, (MPI_Comm, int, int, MPI_Info, MPI_Comm *))                             \
    F(Isend, (const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *))             \
    F(Testall, (int, MPI_Request *, int *, MPI_Status *))                                      \
    F(Recv, (void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *))                     \
    F(Iprobe, (int, int, MPI_Comm, int *, MPI_Status *))                                       \
    F(Finalize, (void))

#define MPI_SAME_TYPE(name, arguments)                                                         \
    _Static_assert(_Generic(&MPI_##name, int(*) arguments : 1, default : 0),                   \
                   "MPI_" #name " has another type");
MPI_FUNCTIONS(MPI_SAME_TYPE)

struct mpi_library {
#define MPI_MEMBER(name, arguments) int(*name) arguments;
    MPI_FUNCTIONS(MPI_MEMBER)
#undef MPI_MEMBER
    /* what Open MPI's macros take the addresses of */
    MPI_Comm world;
    MPI_Datatype byte;
    MPI_Info no_info;
};

enum { TAG_HEAD = 1, TAG_BODY = 2, CHUNK = 1 << 30 };

/* A message on its way. */
struct sending {
    struct sending *next;
    struct team_head head;
    char *bytes;
    int n_requests;
    MPI_Request requests[]; /* of the head and of each chunk */
};

struct team_link {
    struct mpi_library mpi;
    int rank, size, beside;
    struct sending *sendings;
};

static enum masing_status load(struct mpi_library *mpi, struct masing_error *error)
{
    static const char *const names[] = {"libmpi.so.40", "libmpi.so", NULL};
    struct loaded_library library = {"runs of several processes", "Open MPI", NULL};
    NEED(loaded_library_open(&library, names, error));
#define MPI_FIND(name, arguments)                                                              \
    NEED(loaded_library_find(&library, "MPI_" #name, &mpi->name, sizeof mpi->name, error));
    MPI_FUNCTIONS(MPI_FIND)
#undef MPI_FIND
    NEED(loaded_library_find(&library, "ompi_mpi_comm_world", &mpi->world, sizeof mpi->world,
                             error));
    NEED(loaded_library_find(&library, "ompi_mpi_byte", &mpi->byte, sizeof mpi->byte, error));
    return loaded_library_find(&library, "ompi_mpi_info_null", &mpi->no_info,
                               sizeof mpi->no_info, error);
}

enum masing_status team_link_open(struct team_link **link, struct masing_error *error)
{
    enum masing_status status = MASING_OK;
    int provided = 0;
    struct team_link *made = memory_array(1, sizeof *made);
    MPI_Comm here = NULL;
    *link = NULL;
    TRY_ALLOCATED(made);
    TRY(load(&made->mpi, error));
    const struct mpi_library *mpi = &made->mpi;
    if (mpi->Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
        provided < MPI_THREAD_FUNNELED) {
        TRY(masing_error_set(error, MASING_UNSUPPORTED, "MPI does not start"));
    }
    mpi->Comm_rank(mpi->world, &made->rank);
    mpi->Comm_size(mpi->world, &made->size);
    mpi->Comm_split_type(mpi->world, MPI_COMM_TYPE_SHARED, 0, mpi->no_info, &here);
    mpi->Comm_size(here, &made->beside);
    *link = made;
    made = NULL;
done:
    free(made);
    return status;
}

int team_link_rank(const struct team_link *link)
{
    return link->rank;
}

int team_link_size(const struct team_link *link)
{
    return link->size;
}

int team_link_beside(const struct team_link *link)
{
    return link->beside;
}

/* Those that have arrived are forgotten. */
static void look_at_sendings(struct team_link *link)
{
    for (struct sending **at = &link->sendings; *at;) {
        struct sending *sending = *at;
        int has_arrived = 0;
        link->mpi.Testall(sending->n_requests, sending->requests, &has_arrived,
                          MPI_STATUSES_IGNORE);
        if (has_arrived) {
            *at = sending->next;
            free(sending->bytes);
            free(sending);
        } else {
            at = &sending->next;
        }
    }
}

bool team_link_send(struct team_link *link, int to, struct team_head head,
                    const struct packing *body)
{
    const struct mpi_library *mpi = &link->mpi;
    size_t size = body ? body->n : 0, n_chunks = (size + CHUNK - 1) / CHUNK;
    struct sending *sending =
        memory_array(1, sizeof *sending + (n_chunks + 1) * sizeof(MPI_Request));
    char *bytes = memory_array(size + 1, 1);
    if (!sending || !bytes) {
        free(sending);
        free(bytes);
        return false;
    }
    if (size > 0) {
        memcpy(bytes, body->bytes, size);
    }
    head.size = (long long)size;
    sending->head = head;
    sending->bytes = bytes;
    mpi->Isend(&sending->head, (int)sizeof sending->head, mpi->byte, to, TAG_HEAD, mpi->world,
               &sending->requests[sending->n_requests++]);
    for (size_t at = 0; at < size; at += CHUNK) {
        size_t n = size - at < CHUNK ? size - at : CHUNK;
        mpi->Isend(bytes + at, (int)n, mpi->byte, to, TAG_BODY, mpi->world,
                   &sending->requests[sending->n_requests++]);
    }
    sending->next = link->sendings;
    link->sendings = sending;
    return true;
}

bool team_link_receive(struct team_link *link, int *from, struct team_head *head,
                       struct packing *body)
{
    const struct mpi_library *mpi = &link->mpi;
    int is_there = 0;
    MPI_Status state;
    look_at_sendings(link);
    mpi->Iprobe(MPI_ANY_SOURCE, TAG_HEAD, mpi->world, &is_there, &state);
    if (!is_there) {
        return false;
    }
    *from = state.MPI_SOURCE;
    mpi->Recv(head, (int)sizeof *head, mpi->byte, *from, TAG_HEAD, mpi->world,
              MPI_STATUS_IGNORE);
    size_t size = (size_t)head->size;
    *body = (struct packing){.bytes = memory_array(size + 1, 1), .is_taking = true};
    body->n = body->capacity = body->bytes ? size : 0;
    body->status = body->bytes ? MASING_OK : MASING_NO_MEMORY;
    for (size_t at = 0; body->bytes && at < size; at += CHUNK) {
        size_t n = size - at < CHUNK ? size - at : CHUNK;
        mpi->Recv(body->bytes + at, (int)n, mpi->byte, *from, TAG_BODY, mpi->world,
                  MPI_STATUS_IGNORE);
    }
    return true;
}

void team_link_close(struct team_link *link)
{
    while (link && link->sendings) {
        look_at_sendings(link);
    }
    if (link) {
        link->mpi.Finalize();
    }
    free(link);
}

#else

enum masing_status team_link_open(struct team_link **link, struct masing_error *error)
{
    *link = NULL;
    return masing_error_set(error, MASING_UNSUPPORTED, "this program was built without MPI");
}

int team_link_rank(const struct team_link *link)
{
    (void)link;
    return 0;
}

int team_link_size(const struct team_link *link)
{
    (void)link;
    return 1;
}

int team_link_beside(const struct team_link *link)
{
    (void)link;
    return 1;
}

bool team_link_send(struct team_link *link, int to, struct team_head head,
                    const struct packing *body)
{
    (void)link;
    (void)to;
    (void)head;
    (void)body;
    return false;
}

bool team_link_receive(struct team_link *link, int *from, struct team_head *head,
                       struct packing *body)
{
    (void)link;
    (void)from;
    (void)head;
    (void)body;
    return false;
}

void team_link_close(struct team_link *link)
{
    (void)link;
}

#endif
