/** Sends hostile requests and connections beside a neighbour's searches, and judges the damage. */
@NullMarked
package dev.weir.bench.hostile;

import org.jspecify.annotations.NullMarked;
