/** Tests of the package of the same name. */
@NullMarked
package dev.weir.gateway.observe;

import org.jspecify.annotations.NullMarked;
