/** Tests of the package of the same name. */
@NullMarked
package dev.weir.gateway.network;

import org.jspecify.annotations.NullMarked;
