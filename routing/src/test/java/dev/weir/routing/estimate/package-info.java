@NullMarked
package dev.weir.routing.estimate;

import org.jspecify.annotations.NullMarked;
