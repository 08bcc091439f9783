/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages between processes that were started together, by MPI. One thread alone calls these:
 * the one that has opened the link. */
#ifndef MASING_BASE_TEAM_LINK_H
#define MASING_BASE_TEAM_LINK_H

#include "base/packing.h"

struct team_link;

/* What a message begins with. */
struct team_head {
    int kind, place;
    long long task;
    long long size; /* bytes that follow */
};

/* MASING_UNSUPPORTED, with the reason, where there is no MPI. */
enum masing_status team_link_open(struct team_link **link, struct masing_error *error);

int team_link_rank(const struct team_link *link);
int team_link_size(const struct team_link *link);
/* Processes on this machine. */
int team_link_beside(const struct team_link *link);

/* Returns at once: the bytes are copied. body: NULL for none. False: no memory. */
bool team_link_send(struct team_link *link, int to, struct team_head head,
                    const struct packing *body);

/* A message that has come, its bytes to be taken apart and cleared; false: there is none. */
bool team_link_receive(struct team_link *link, int *from, struct team_head *head,
                       struct packing *body);

/* When all that was sent has arrived, and all others close theirs. */
void team_link_close(struct team_link *link);

#endif
