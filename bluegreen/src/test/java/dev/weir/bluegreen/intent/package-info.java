@NullMarked
package dev.weir.bluegreen.intent;

import org.jspecify.annotations.NullMarked;
