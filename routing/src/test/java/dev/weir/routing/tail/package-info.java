@NullMarked
package dev.weir.routing.tail;

import org.jspecify.annotations.NullMarked;
