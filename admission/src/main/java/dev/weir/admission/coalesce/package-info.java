/** Which searches are so alike that one answer is the answer to all. */
@NullMarked
package dev.weir.admission.coalesce;

import org.jspecify.annotations.NullMarked;
