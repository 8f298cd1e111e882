/** Tests of the package of the same name. */
@NullMarked
package dev.weir.admission.memory;

import org.jspecify.annotations.NullMarked;
