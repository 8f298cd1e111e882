/**
 * What the gateway remembers of the last hour: counts for each step of a few seconds, events such
 * as reloads, single requests that are worth a look, and the use by index and by tenant. Event
 * loops only add to striped counters and swap references; one virtual thread takes the steps.
 */
@NullMarked
package dev.weir.gateway.history;

import org.jspecify.annotations.NullMarked;
