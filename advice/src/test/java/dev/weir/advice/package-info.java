/** Tests of the checks at their thresholds, and of what is read and written. */
@NullMarked
package dev.weir.advice;

import org.jspecify.annotations.NullMarked;
