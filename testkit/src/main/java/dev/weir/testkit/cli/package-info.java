/**
 * The testkit's command lines, which the start script runs: data nodes alone, the demo, and the
 * comparer.
 */
@NullMarked
package dev.weir.testkit.cli;

import org.jspecify.annotations.NullMarked;
