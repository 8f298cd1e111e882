/**
 * The protocol of cluster states by their changes, between the gateway and Weir's plugin: requests,
 * answers, and how a step changes a state.
 */
@NullMarked
package dev.weir.cluster.diff;

import org.jspecify.annotations.NullMarked;
