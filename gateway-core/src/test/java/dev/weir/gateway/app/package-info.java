/** Tests of the package of the same name. */
@NullMarked
package dev.weir.gateway.app;

import org.jspecify.annotations.NullMarked;
