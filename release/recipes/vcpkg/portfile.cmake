# The library is optimised Rust behind an interface in C: debug programs link to the same.
set(VCPKG_BUILD_TYPE release)

find_program(CARGO cargo)
if(NOT CARGO)
    message(FATAL_ERROR "${PORT} takes Rust 1.95 or later: https://rustup.rs")
endif()

vcpkg_download_distfile(archive
    URLS "https://github.com/finch-clustering/finch/releases/download/v${VERSION}/finch-${VERSION}.tar.gz"
    FILENAME "finch-${VERSION}.tar.gz"
    SHA512 00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
)
vcpkg_extract_source_archive(source ARCHIVE "${archive}")

vcpkg_execute_required_process(
    COMMAND "${CMAKE_COMMAND}" -E env "CARGO=${CARGO}" "CARGO_TARGET_DIR=${CURRENT_BUILDTREES_DIR}/cargo"
        "${source}/finch-ffi/install" --prefix "${CURRENT_PACKAGES_DIR}"
    WORKING_DIRECTORY "${source}"
    LOGNAME "install-${TARGET_TRIPLET}"
)

# vcpkg has one kind of library in a triplet; finch::finch is that one.
if(VCPKG_LIBRARY_LINKAGE STREQUAL "static")
    file(GLOB unwanted "${CURRENT_PACKAGES_DIR}/lib/libfinch.so*")
else()
    set(unwanted "${CURRENT_PACKAGES_DIR}/lib/libfinch.a")
endif()
file(REMOVE ${unwanted})

# The files for CMake lie in share/finch, one folder less deep.
set(config "${CURRENT_PACKAGES_DIR}/share/finch")
file(MAKE_DIRECTORY "${CURRENT_PACKAGES_DIR}/share")
file(RENAME "${CURRENT_PACKAGES_DIR}/lib/cmake/finch" "${config}")
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/lib/cmake")
vcpkg_replace_string("${config}/finchConfig.cmake" "/../../..\"" "/../..\"")
vcpkg_fixup_pkgconfig()

file(INSTALL "${CURRENT_PORT_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${source}/LICENSE-MIT" "${source}/LICENSE-APACHE")
