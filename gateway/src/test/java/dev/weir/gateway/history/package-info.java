/** Tests of the package of the same name. */
@NullMarked
package dev.weir.gateway.history;

import org.jspecify.annotations.NullMarked;
