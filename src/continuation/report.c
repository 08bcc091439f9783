/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What leaves the continuation: points, lines of the log, the reason of the end. */
#include <stdarg.h>
#include <stdio.h>

#include "continuation/curve.h"

void curve_log(struct continuation *c, const char *format, ...)
{
    if (!c->observer || !c->observer->log) {
        return;
    }
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    c->observer->log(c->observer->context, line);
}

void curve_needed(struct continuation *c, enum masing_strategy strategy, const double *u)
{
    c->counts.strategies[strategy]++;
    curve_log(c, "at %.10g%s: needed %s", curve_shown(c, u[c->n]), curve_unit(c),
              masing_strategy_name(strategy));
}

void curve_stop(struct continuation *c, enum continuation_end end, const char *format, ...)
{
    if (c->has_ended) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->reason, sizeof c->reason, format, arguments);
    va_end(arguments);
    c->has_ended = true;
    c->end = end;
}

void curve_add_event(struct continuation *c, int kind, int event)
{
    c->met[c->n_met++] = (struct continuation_met){kind, event};
}

static struct continuation_events list_events(const struct continuation_met *met, int n_met)
{
    struct continuation_events events = {.n = n_met, .met = met};
    for (int i = 0; i < n_met; i++) {
        events.kinds |= 1U << met[i].kind;
    }
    return events;
}

void curve_measure_arc(const struct continuation *c, struct curve_point *point)
{
    point->arc = c->last.arc + predictor_length(c->size, c->metric, c->last.u, c->last.tangent,
                                                point->u, point->tangent_in, NULL);
}

enum masing_status curve_report(struct continuation *c, const struct curve_point *point,
                                const struct continuation_met *met, int n_met)
{
    int n_seen = c->search.is_dry ? c->search.n_dry++ : c->counts.points;
    if (n_seen >= c->settings.max_points) {
        curve_stop(c, CONTINUATION_FULL, "the limit of %d points was reached at %.10g%s",
                   c->settings.max_points, curve_shown(c, point->u[c->n]), curve_unit(c));
        return MASING_OK;
    }
    if (c->search.is_dry) {
        curve_copy_point(c, &c->last, point);
        return MASING_OK;
    }
    struct continuation_point seen = {
        .index = c->counts.points++,
        .y = point->u,
        .lambda = point->u[c->n],
        .dy = point->tangent,
        .dlambda = point->tangent[c->n],
        .dy_in = point->tangent_in,
        .dlambda_in = point->tangent_in[c->n],
        .arc = point->arc,
        .residual = point->residual,
        .iterations = point->iterations,
        .piece = c->n_pieces,
        .is_on_side_branch = c->is_on_side_branch,
        .events = list_events(met, n_met),
    };
    enum masing_status status = MASING_OK;
    if (c->observer && c->observer->point) {
        status = c->observer->point(c->observer->context, &seen, c->error);
    }
    curve_copy_point(c, &c->last, point);
    if (status > 0) {
        curve_stop(c, CONTINUATION_ASKED, "stopped on request at %.10g%s",
                   curve_shown(c, seen.lambda), curve_unit(c));
        status = MASING_OK;
    }
    return status;
}
