/** YAML to policy records: positions kept, every problem at once. */
@NullMarked
package dev.weir.config.load;

import org.jspecify.annotations.NullMarked;
