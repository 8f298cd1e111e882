/**
 * Answers gateways that follow the cluster state with its changes: each step from one state to the
 * next is written once, and kept for a while for all gateways. While no gateway asks, nothing is
 * written and nothing is kept.
 */
@NullMarked
package dev.weir.node.state;

import org.jspecify.annotations.NullMarked;
