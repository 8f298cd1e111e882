@NullMarked
package dev.weir.routing.score;

import org.jspecify.annotations.NullMarked;
