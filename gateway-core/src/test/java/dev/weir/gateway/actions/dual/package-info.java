/** Tests of the package of the same name. */
@NullMarked
package dev.weir.gateway.actions.dual;

import org.jspecify.annotations.NullMarked;
