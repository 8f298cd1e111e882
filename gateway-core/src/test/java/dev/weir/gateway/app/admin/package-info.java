/** Tests of the package of the same name. */
@NullMarked
package dev.weir.gateway.app.admin;

import org.jspecify.annotations.NullMarked;
