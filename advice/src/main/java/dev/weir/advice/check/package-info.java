/**
 * The checks that concern the whole cluster and its nodes, one class each. A threshold is a
 * constant, with its reason.
 */
@NullMarked
package dev.weir.advice.check;

import org.jspecify.annotations.NullMarked;
