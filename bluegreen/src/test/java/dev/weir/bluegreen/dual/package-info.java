/** Tests of the package of the same name. */
@NullMarked
package dev.weir.bluegreen.dual;

import org.jspecify.annotations.NullMarked;
