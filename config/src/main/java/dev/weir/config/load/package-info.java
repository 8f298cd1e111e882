/**
 * Reads YAML into policy records; keeps positions and reports every problem at once. Enter by
 * {@link dev.weir.config.load.PolicyLoader}. The only package that depends on YAML. Safe on any
 * thread.
 */
@NullMarked
package dev.weir.config.load;

import org.jspecify.annotations.NullMarked;
