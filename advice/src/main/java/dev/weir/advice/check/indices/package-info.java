/**
 * The checks that concern indices and their shards, one class each. A threshold is a constant, with
 * its reason.
 */
@NullMarked
package dev.weir.advice.check.indices;

import org.jspecify.annotations.NullMarked;
