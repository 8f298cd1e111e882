/** Tests of the package of the same name. */
@NullMarked
package dev.weir.gateway.reload;

import org.jspecify.annotations.NullMarked;
