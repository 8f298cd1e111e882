/** Tests of the package of the same name. */
@NullMarked
package dev.weir.config.load;

import org.jspecify.annotations.NullMarked;
