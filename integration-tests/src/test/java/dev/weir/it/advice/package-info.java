/** Faults planted in real clusters, which advice finds, and which the calls that it prints mend. */
@NullMarked
package dev.weir.it.advice;

import org.jspecify.annotations.NullMarked;
