@NullMarked
package dev.weir.operate;

import org.jspecify.annotations.NullMarked;
