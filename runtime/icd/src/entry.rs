//! The macro behind the list of entry points in `table.rs`: what is made of each line.
//!
//! Kinds: `status` returns its status, `object` and `mapped` return it through their last parameter,
//! `linked` too, and may give an object beside an error, `address` returns
//! NULL where it fails, `nothing` returns nothing. `absent` is a place of the table for a function of an extension that
//! we do not have. The table's functions are not the exported ones: those may be replaced by the loader's of the same
//! name, which would then call itself.

/// The function behind a C name.
macro_rules! entry {
    (absent $name:ident) => {};
    (status $name:ident ($($arg:ident: $type:ty),*) $call:path) => {
        extern "C" fn $name($($arg: $type),*) -> Int {
            border::status(|| $call($($arg),*))
        }
    };
    (object $name:ident ($($arg:ident: $type:ty),*) -> $object:ty, $call:path) => {
        extern "C" fn $name($($arg: $type,)* errcode: Out<Int>) -> Handle<$object> {
            border::object(errcode, || $call($($arg),*))
        }
    };
    (linked $name:ident ($($arg:ident: $type:ty),*) -> $object:ty, $call:path) => {
        extern "C" fn $name($($arg: $type,)* errcode: Out<Int>) -> Handle<$object> {
            border::linked(errcode, || $call($($arg),*))
        }
    };
    (mapped $name:ident ($($arg:ident: $type:ty),*) $call:path) => {
        extern "C" fn $name($($arg: $type,)* errcode: Out<Int>) -> Memory {
            border::mapped(errcode, || $call($($arg),*))
        }
    };
    (address $name:ident ($($arg:ident: $type:ty),*) $call:path) => {
        extern "C" fn $name($($arg: $type),*) -> Memory {
            border::address(|| $call($($arg),*))
        }
    };
    (nothing $name:ident ($($arg:ident: $type:ty),*) $call:path) => {
        extern "C" fn $name($($arg: $type),*) {
            border::nothing(|| $call($($arg),*));
        }
    };
}

/// The function that the library exports under the name.
macro_rules! export {
    (absent $name:ident) => {};
    (status $name:ident ($($arg:ident: $type:ty),*) $call:path) => {
        export!(@ $name ($($arg: $type),*) -> Int);
    };
    (object $name:ident ($($arg:ident: $type:ty),*) -> $object:ty, $call:path) => {
        export!(@ $name ($($arg: $type,)* errcode: Out<Int>) -> Handle<$object>);
    };
    (linked $name:ident ($($arg:ident: $type:ty),*) -> $object:ty, $call:path) => {
        export!(@ $name ($($arg: $type,)* errcode: Out<Int>) -> Handle<$object>);
    };
    (mapped $name:ident ($($arg:ident: $type:ty),*) $call:path) => {
        export!(@ $name ($($arg: $type,)* errcode: Out<Int>) -> Memory);
    };
    (address $name:ident ($($arg:ident: $type:ty),*) $call:path) => {
        export!(@ $name ($($arg: $type),*) -> Memory);
    };
    (nothing $name:ident ($($arg:ident: $type:ty),*) $call:path) => {
        export!(@ $name ($($arg: $type),*) -> ());
    };
    (@ $name:ident ($($arg:ident: $type:ty),*) -> $result:ty) => {
        const _: () = {
            // SAFETY: the name is OpenCL's, and the function has the type that OpenCL gives it.
            #[unsafe(no_mangle)]
            extern "C" fn $name($($arg: $type),*) -> $result {
                self::$name($($arg),*)
            }
        };
    };
}

macro_rules! place {
    (absent $name:ident) => {
        std::ptr::null()
    };
    ($kind:ident $name:ident) => {
        $name as *const ()
    };
}

macro_rules! found {
    (absent $name:ident) => {
        None
    };
    ($kind:ident $name:ident) => {
        Some($name as *const () as *mut c_void)
    };
}

macro_rules! entry_points {
    (
        dispatch { $([$kind:ident $name:ident $($rest:tt)*])* }
        loader { $([$loader_kind:ident $loader:ident $($loader_rest:tt)*])* }
        extensions { $([$ext_kind:ident $ext:ident $($ext_rest:tt)*])* }
        aliases { $($alias:ident = $target:ident)* }
    ) => {
        $(entry!($kind $name $($rest)*);)*
        $(entry!($loader_kind $loader $($loader_rest)*);)*
        $(entry!($ext_kind $ext $($ext_rest)*);)*
        $(export!($kind $name $($rest)*);)*
        $(export!($loader_kind $loader $($loader_rest)*);)*

        const DISPATCHED: usize = [$(stringify!($name)),*].len();

        static DISPATCH: Table = Table([$(place!($kind $name)),*]);

        /// The function of this name, for `clGetExtensionFunctionAddress…`: those of extensions, and all others too.
        pub(crate) fn find(name: &str) -> Option<*mut c_void> {
            match name {
                $(stringify!($name) => found!($kind $name),)*
                $(stringify!($loader) => found!($loader_kind $loader),)*
                $(stringify!($ext) => found!($ext_kind $ext),)*
                $(stringify!($alias) => Some($target as *const () as *mut c_void),)*
                _ => None,
            }
        }
    };
}
