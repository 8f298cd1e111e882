/** Tests of the package of the same name. */
@NullMarked
package dev.weir.gateway.logging;

import org.jspecify.annotations.NullMarked;
