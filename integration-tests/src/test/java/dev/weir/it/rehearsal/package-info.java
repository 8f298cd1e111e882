/** Records what a real node answers to the gateway's rehearsal. */
@NullMarked
package dev.weir.it.rehearsal;

import org.jspecify.annotations.NullMarked;
