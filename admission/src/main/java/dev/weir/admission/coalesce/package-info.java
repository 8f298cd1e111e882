/** Decides which searches are identical, so that one response serves all. */
@NullMarked
package dev.weir.admission.coalesce;

import org.jspecify.annotations.NullMarked;
