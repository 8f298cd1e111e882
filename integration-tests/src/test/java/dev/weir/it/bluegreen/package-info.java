/** Two clusters behind one gateway. */
@NullMarked
package dev.weir.it.bluegreen;

import org.jspecify.annotations.NullMarked;
