/** Tests of the judging of hostile requests. */
@NullMarked
package dev.weir.bench.hostile;

import org.jspecify.annotations.NullMarked;
