/** Records a real node's responses for the gateway's rehearsal. */
@NullMarked
package dev.weir.it.rehearsal;

import org.jspecify.annotations.NullMarked;
