/** Tests of the package of the same name. */
@NullMarked
package dev.weir.observe;

import org.jspecify.annotations.NullMarked;
