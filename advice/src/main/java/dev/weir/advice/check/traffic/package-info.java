/**
 * The checks that concern what clients ask for, as the gateway and the nodes have counted it, one
 * class each. A threshold is a constant, with its reason.
 */
@NullMarked
package dev.weir.advice.check.traffic;

import org.jspecify.annotations.NullMarked;
