@NullMarked
package dev.weir.routing.traffic;

import org.jspecify.annotations.NullMarked;
