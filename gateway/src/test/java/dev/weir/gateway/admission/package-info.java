/** Tests of the package of the same name. */
@NullMarked
package dev.weir.gateway.admission;

import org.jspecify.annotations.NullMarked;
