/**
 * Hostile clients beside one of good will: the gateway answers as a node does, or refuses, and goes
 * on; the short form of {@code ./weir bench hostile}.
 */
@NullMarked
package dev.weir.it.hostile;

import org.jspecify.annotations.NullMarked;
