/** Tests of the package of the same name. */
@NullMarked
package dev.weir.routing;

import org.jspecify.annotations.NullMarked;
