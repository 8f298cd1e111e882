/**
 * Leaves out of the results of several shards of this node what can't be in the response of their
 * search. Pure decisions; the package {@code batch} applies them to the results that it sends in
 * one response.
 */
@NullMarked
package dev.weir.node.reduction;

import org.jspecify.annotations.NullMarked;
