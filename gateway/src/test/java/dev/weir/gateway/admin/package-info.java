/** Tests of the package of the same name. */
@NullMarked
package dev.weir.gateway.admin;

import org.jspecify.annotations.NullMarked;
