/**
 * YAML to policy records: positions kept, every problem at once. {@link
 * dev.weir.config.load.PolicyLoader} is the door; the only package that knows YAML. Safe on any
 * thread.
 */
@NullMarked
package dev.weir.config.load;

import org.jspecify.annotations.NullMarked;
