@NullMarked
package dev.weir.bluegreen.compare;

import org.jspecify.annotations.NullMarked;
