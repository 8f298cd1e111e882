/** The command line {@code ./weir bench}. Runs one benchmark on the main thread. */
@NullMarked
package dev.weir.bench.cli;

import org.jspecify.annotations.NullMarked;
